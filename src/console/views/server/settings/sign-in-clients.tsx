import { useSignal } from '@preact/signals'
import type {
  RemovedSignInClient,
  SignInClient,
  SignInClientPage,
} from '../../../../shared/contract/access/sign-ins.ts'
import type { Environment } from '../../../../shared/contract/states.ts'
import { counted } from '../../../../shared/counted.ts'
import { request } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Loaded, ReloadButton } from '../../../components/loaded.tsx'
import { notify } from '../../../components/notices.tsx'
import { type Column, Table } from '../../../components/table.tsx'
import { shown, Text } from '../../../components/text.tsx'
import { Time } from '../../../components/time.tsx'
import { concerns } from '../../../model/servers.ts'

const SHOWN = 100

interface ClientsProps {
  server: string
  environment: Environment
  /** Called after a client has been removed and its grants revoked. */
  onRevoked(): void
}

/** Clients that use the sign-in of the server. They name themselves, so a name can be anything. */
export function SignInClients({ server, environment, onRevoked }: ClientsProps) {
  const path = `/api/servers/${encodeURIComponent(server)}/clients`
  const asked = useSignal<SignInClient | undefined>(undefined)
  const resource = useResource(`${server} ${environment}`, {
    load: signal => request<SignInClientPage>('GET', path, { query: { environment, limit: SHOWN }, signal }),
    concerns: concerns(server, ['deployment']),
  })
  const remove = async ({ id, name }: SignInClient) => {
    const query = { environment }
    const { revokedGrants } = await request<RemovedSignInClient>(
      'DELETE',
      `${path}/${encodeURIComponent(id)}`,
      {
        query,
      },
    )
    notify(`Removed ${shown(name ?? id, 100)} and ${counted(revokedGrants, 'grant')}.`)
    resource.reload()
    onRevoked()
  }
  const columns = clientColumns(client => {
    asked.value = client
  })
  return (
    <section class="section">
      <div class="section-head">
        <h2>Clients</h2>
        <ReloadButton label="Reload the clients" resource={resource} />
      </div>
      <Loaded resource={resource} what="the clients">
        {({ items, nextToken }) =>
          items.length === 0 ? (
            <p class="muted">No client has registered in {environment}.</p>
          ) : (
            <>
              <Table caption="Sign-in clients" columns={columns} rows={items} keyOf={({ id }) => id} />
              {nextToken && (
                <p class="muted">
                  These are the first {SHOWN}. <code>mcp clients {server}</code> lists them all.
                </p>
              )}
            </>
          )
        }
      </Loaded>
      {asked.value && (
        <Dialog
          title={`Remove ${shown(asked.value.name ?? asked.value.id, 100)}?`}
          confirm="Remove"
          danger
          onConfirm={() => remove(asked.value!)}
          onClose={() => {
            asked.value = undefined
          }}
        >
          <p>Its grants are revoked. Its users must sign in again, and the client may register again.</p>
        </Dialog>
      )}
    </section>
  )
}

function clientColumns(onRemove: (client: SignInClient) => void): readonly Column<SignInClient>[] {
  return [
    {
      name: 'Client',
      kind: 'head',
      wide: true,
      cell: ({ name, id }) => (
        <span class="wrap">
          {name !== null && <Text value={name} max={200} />}{' '}
          <span class="mono muted">
            <Text value={id} max={200} />
          </span>
        </span>
      ),
    },
    {
      name: 'Registration',
      cell: ({ kind }) => (kind === 'registered' ? 'dynamic' : 'metadata document'),
    },
    {
      name: 'Redirects to',
      wide: true,
      cell: ({ redirectHosts }) => (
        <span class="wrap">
          <Text value={redirectHosts.join(', ')} max={300} />
        </span>
      ),
    },
    { name: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'never') },
    { name: 'Grants', kind: 'number', cell: ({ grants }) => grants },
    {
      name: 'Actions',
      hasNoLabel: true,
      kind: 'actions',
      wide: true,
      cell: client => (
        <Button
          kind="quiet"
          icon="remove"
          label={`Remove ${shown(client.name ?? client.id, 60)}`}
          onClick={() => onRemove(client)}
        />
      ),
    },
  ]
}
