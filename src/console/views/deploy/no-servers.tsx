import './deploy.css'
import { Copyable } from '../../components/copy.tsx'
import { NewServerButton } from './new-server-button.tsx'

const COMMANDS = [
  ['The weather example', 'mcp init weather --example weather\nmcp up weather'],
  ['The server in the current folder', 'mcp up'],
  ['A server that already runs as a command', "mcp up --command 'npx -y <package>'"],
  ['An HTTP API with an OpenAPI description', 'mcp init my-api --from-openapi openapi.json\nmcp up my-api'],
] as const

/** Leads to the first deployment. The view changes as soon as the server exists. */
export function NoServers() {
  return (
    <div class="empty">
      <h2>Deploy your first server</h2>
      <p>
        A server can be one JSON file. Start with a small example or an OpenAPI description, change it, and
        deploy it from here.
      </p>
      <NewServerButton />
      <h2 class="deploy-terminal">From a terminal</h2>
      <p class="muted">The server appears here as soon as it is built.</p>
      <dl class="deploy-commands">
        {COMMANDS.map(([title, command]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <Copyable text={command} what={`the commands: ${title}`} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
