import { useSignal } from '@preact/signals'
import type { SignInGrant, SignInGrantPage } from '../../../../shared/contract/access/sign-ins.ts'
import type { Environment } from '../../../../shared/contract/states.ts'
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

interface GrantsProps {
  server: string
  environment: Environment
  /** Changes when grants are revoked elsewhere on the page. */
  revision: number
}

/** Users who let a client use the server. The feed does not report sign-ins, so a button reloads the list. */
export function Grants({ server, environment, revision }: GrantsProps) {
  const path = `/api/servers/${encodeURIComponent(server)}/grants`
  const asked = useSignal<SignInGrant | undefined>(undefined)
  const resource = useResource(`${server} ${environment} ${revision}`, {
    load: signal => request<SignInGrantPage>('GET', path, { query: { environment, limit: SHOWN }, signal }),
    concerns: concerns(server, ['deployment']),
  })
  const revoke = async ({ id, subject }: SignInGrant) => {
    await request('DELETE', `${path}/${encodeURIComponent(id)}`)
    notify(`Revoked the access of ${shown(subject, 100)}.`)
    resource.reload()
  }
  const columns = grantColumns(grant => {
    asked.value = grant
  })
  return (
    <section class="section">
      <div class="section-head">
        <h2>Grants</h2>
        <ReloadButton label="Reload the grants" resource={resource} />
      </div>
      <Loaded resource={resource} what="the grants">
        {({ items, nextToken }) =>
          items.length === 0 ? (
            <p class="muted">No user in {environment} has granted a client access to this server.</p>
          ) : (
            <>
              <Table caption="Grants, newest first" columns={columns} rows={items} keyOf={({ id }) => id} />
              {nextToken && (
                <p class="muted">
                  These are the newest {SHOWN}. <code>mcp grants {server}</code> lists them all.
                </p>
              )}
            </>
          )
        }
      </Loaded>
      {asked.value && (
        <Dialog
          title={`Revoke the access of ${shown(asked.value.subject, 100)}?`}
          confirm="Revoke"
          danger
          onConfirm={() => revoke(asked.value!)}
          onClose={() => {
            asked.value = undefined
          }}
        >
          <p>
            The tokens of this grant are refused immediately. Running requests and open streams continue until
            their session ends.
          </p>
        </Dialog>
      )}
    </section>
  )
}

function grantColumns(onRevoke: (grant: SignInGrant) => void): readonly Column<SignInGrant>[] {
  return [
    {
      name: 'User',
      kind: 'head',
      wide: true,
      cell: ({ subject }) => (
        <span class="wrap">
          <Text value={subject} max={200} />
        </span>
      ),
    },
    {
      name: 'Client',
      wide: true,
      cell: ({ clientName, clientId }) => (
        <span class="wrap">
          <Text value={clientName ?? clientId} max={200} />
        </span>
      ),
    },
    { name: 'Scopes', wide: true, cell: ({ scopes }) => <Text value={scopes.join(' ')} max={200} /> },
    { name: 'Signed in', cell: ({ issuedAt }) => <Time at={issuedAt} /> },
    {
      name: 'Refreshed',
      cell: ({ lastRefreshedAt }) => (lastRefreshedAt ? <Time at={lastRefreshedAt} /> : 'never'),
    },
    { name: 'Expires', cell: ({ expiresAt }) => new Date(expiresAt).toLocaleDateString() },
    {
      name: 'Actions',
      hasNoLabel: true,
      kind: 'actions',
      wide: true,
      cell: grant => (
        <Button
          kind="quiet"
          icon="remove"
          label={`Revoke the access of ${shown(grant.subject, 60)} through ${shown(grant.clientName ?? grant.clientId, 60)}`}
          onClick={() => onRevoke(grant)}
        />
      ),
    },
  ]
}
