import { Copyable } from '../components/copy.tsx'
import { useTitle } from '../router/use-title.ts'

export function SignedOut() {
  useTitle('Sign in')
  return (
    <div class="empty">
      <h1>Open the console from a terminal</h1>
      <p>This browser has no session. This command opens the console and signs you in:</p>
      <Copyable text="mcp console" what="the command" />
    </div>
  )
}
