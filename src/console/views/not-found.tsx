import { Link } from '../router/link.tsx'
import { useTitle } from '../router/use-title.ts'

export function NotFound() {
  useTitle('Not found')
  return (
    <div class="empty">
      <h1>There is no such page</h1>
      <p>
        <Link to="/">Show all servers</Link>
      </p>
    </div>
  )
}
