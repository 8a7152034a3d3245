import { useSignal } from '@preact/signals'
import { CLIENT_FORMATS, type ClientFormat } from '../../../../shared/client-formats.ts'
import { bound } from '../../../components/bound.ts'
import { Copyable } from '../../../components/copy.tsx'
import { entryText } from './client-entry.ts'

/** Configuration to paste into each MCP client, and the command that writes it. */
export function Clients({ name, url }: { name: string; url: string }) {
  const chosen = useSignal<string>('claude-code')
  const client = CLIENT_FORMATS.find(({ id }) => id === chosen.value) as ClientFormat
  return (
    <section class="section">
      <div class="section-head">
        <h2 id="clients">Connect a client</h2>
        <select class="input" aria-labelledby="clients" {...bound(chosen)}>
          {CLIENT_FORMATS.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <div class="stack">
        <p class="muted">Paste into the configuration of {client.name}:</p>
        <Copyable text={entryText(client, { name, url })} what={`the entry for ${client.name}`} />
        <p class="muted">Or let a command write it:</p>
        <Copyable text={`mcp connect ${name} --client ${client.id}`} what="the command" />
        <p class="muted">{client.nextAction}</p>
      </div>
    </section>
  )
}
