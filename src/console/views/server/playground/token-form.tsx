import { useSignal } from '@preact/signals'
import { bound } from '../../../components/bound.ts'
import { Button } from '../../../components/button.tsx'
import type { Playground } from './playground.ts'

/** Form for an access token, for a server with its own sign-in. The token stays in the memory of the page. */
export function TokenForm({ playground }: { playground: Playground }) {
  const token = useSignal('')
  const submit = (event: Event) => {
    event.preventDefault()
    void playground.signIn(token.value.trim())
  }
  return (
    <form class="empty" onSubmit={submit}>
      <h2>This server requires sign-in</h2>
      <p>
        Paste an access token for the server. It is sent to this server only, and forgotten when you close or
        reload the page.
      </p>
      <label class="pg-token">
        Token
        <input class="input mono" type="password" autocomplete="off" required {...bound(token)} />
      </label>
      <Button type="submit" kind="primary">
        Connect
      </Button>
    </form>
  )
}
