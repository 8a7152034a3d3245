import { CLIENT_FORMATS } from '../../../../shared/client-formats.ts'
import { Copyable } from '../../../components/copy.tsx'
import { QueryChoice } from '../../../components/filters/query-filter.tsx'
import { query } from '../../../router/router.ts'
import { entryText } from './client-entry.ts'

const DEFAULT_CLIENT = CLIENT_FORMATS.find(({ id }) => id === 'claude-code')!

const CHOICES = CLIENT_FORMATS.map(({ id, name }) => [id === DEFAULT_CLIENT.id ? '' : id, name] as const)

/** Configuration to paste into each MCP client, and the command that writes it. */
export function Clients({ name, url }: { name: string; url: string }) {
  const chosen = query.value.get('client')
  const client = CLIENT_FORMATS.find(({ id }) => id === chosen) ?? DEFAULT_CLIENT
  return (
    <section class="section">
      <div class="section-head">
        <h2 id="clients">Connect a client</h2>
        <QueryChoice name="client" label="Connect a client" choices={CHOICES} />
      </div>
      <div class="stack">
        <p class="muted">Paste this into the configuration of {client.name}:</p>
        <Copyable text={entryText(client, { name, url })} what={`the entry for ${client.name}`} />
        <p class="muted">Or let a command write it:</p>
        <Copyable text={`mcp connect ${name} --client ${client.id}`} what="the command" />
        <p class="muted">{client.nextAction}</p>
      </div>
    </section>
  )
}
