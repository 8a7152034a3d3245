import { useSignal } from '@preact/signals'
import type {
  EndedSessionsResult,
  SessionPage,
  SessionRecord,
} from '../../../../shared/contract/servers/sessions.ts'
import type { Environment } from '../../../../shared/contract/states.ts'
import { request } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Loaded, ReloadButton } from '../../../components/loaded.tsx'
import { notify } from '../../../components/notices.tsx'
import { type Column, Table } from '../../../components/table.tsx'
import { Text } from '../../../components/text.tsx'
import { Time } from '../../../components/time.tsx'
import { concerns } from '../../../model/servers.ts'

const SHOWN = 100

/** Open MCP sessions. The daemon asks the instances for them and reports no changes, so a button reloads the list. */
export function Sessions({ name, environment }: { name: string; environment: Environment }) {
  const path = `/api/servers/${encodeURIComponent(name)}/sessions`
  const ending = useSignal<SessionRecord | undefined>(undefined)
  const resource = useResource(`${name} ${environment}`, {
    load: signal => request<SessionPage>('GET', path, { query: { environment, limit: SHOWN }, signal }),
    concerns: concerns(name, ['instance', 'deployment']),
  })
  const end = async (session: SessionRecord) => {
    const { ended } = await request<EndedSessionsResult>(
      'DELETE',
      `${path}/${encodeURIComponent(session.id)}`,
    )
    notify(ended > 0 ? 'Ended the session.' : 'The session was no longer open.')
    resource.reload()
  }
  const columns = sessionColumns(session => {
    ending.value = session
  })
  return (
    <section class="section">
      <div class="section-head">
        <h2>Sessions</h2>
        <ReloadButton label="Reload the sessions" resource={resource} />
      </div>
      <Loaded resource={resource} what="the sessions">
        {({ items, nextToken }) =>
          items.length === 0 ? (
            <p class="muted">No client has an open session.</p>
          ) : (
            <>
              <Table caption="Sessions, newest first" columns={columns} rows={items} keyOf={({ id }) => id} />
              {nextToken && (
                <p class="muted">
                  These are the newest {SHOWN}. <code>mcp sessions {name}</code> lists them all.
                </p>
              )}
            </>
          )
        }
      </Loaded>
      {ending.value && (
        <Dialog
          title="End this session?"
          confirm="End the session"
          danger
          onConfirm={() => end(ending.value!)}
          onClose={() => {
            ending.value = undefined
          }}
        >
          <p>Its streams will be closed, and its client must initialize again.</p>
        </Dialog>
      )}
    </section>
  )
}

function sessionColumns(onEnd: (session: SessionRecord) => void): readonly Column<SessionRecord>[] {
  return [
    { name: 'Client', kind: 'head', wide: true, cell: ({ client }) => <Client client={client} /> },
    { name: 'Protocol', cell: ({ protocolVersion }) => <Text value={protocolVersion} max={40} /> },
    { name: 'User', cell: ({ caller }) => (caller === null ? '–' : <Text value={caller} max={100} />) },
    { name: 'Started', cell: ({ startedAt }) => <Time at={startedAt} /> },
    { name: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
    { name: 'Requests', kind: 'number', cell: ({ requests }) => requests },
    { name: 'Streams', kind: 'number', cell: ({ openStreams }) => openStreams },
    {
      name: 'Actions',
      hasNoLabel: true,
      kind: 'actions',
      wide: true,
      cell: session => (
        <Button
          kind="quiet"
          icon="close"
          label={`End session ${session.id}`}
          onClick={() => onEnd(session)}
        />
      ),
    },
  ]
}

/** Clients name themselves, so the name can be anything. */
function Client({ client }: { client: SessionRecord['client'] }) {
  if (!client) return <span class="muted">unknown</span>
  return (
    <span class="wrap">
      <Text value={client.name} max={100} />{' '}
      <span class="muted">
        <Text value={client.version} max={40} />
      </span>
    </span>
  )
}
