import { Copyable } from '../components/copy.tsx'

const COMMANDS = 'mcp init weather --example weather\nmcp up weather'

/** Leads to the first deployment. The view changes as soon as the server exists. */
export function NoServers() {
  return (
    <div class="empty">
      <h2>Deploy your first server</h2>
      <p>These commands create the weather example and deploy it. It appears here as soon as it is built.</p>
      <Copyable text={COMMANDS} what="the commands" />
      <p class="muted">
        For a server that already exists as a command, run{' '}
        <code>mcp up --command "npx -y &lt;package&gt;"</code>.
      </p>
    </div>
  )
}
