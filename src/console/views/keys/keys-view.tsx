import './keys.css'
import { useSignal } from '@preact/signals'
import type { CreatedKey, KeyRecord } from '../../../shared/contract/access/api-keys.ts'
import { listAll, request } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { Button } from '../../components/button.tsx'
import { Copyable } from '../../components/copy.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Loaded, ReloadButton } from '../../components/loaded.tsx'
import { notify } from '../../components/notices.tsx'
import { Table } from '../../components/table.tsx'
import { shown } from '../../components/text.tsx'
import { ownKey } from '../../model/own-key.ts'
import { dialogInQuery } from '../../router/dialog-in-query.ts'
import { useTitle } from '../../router/use-title.ts'
import { keyColumns } from './key-columns.tsx'
import { KeyDialog } from './key-dialog.tsx'

/** API keys of the daemon. Only keys with the scope ADMIN may see them. */
export function KeysView() {
  useTitle('Keys')
  const creation = dialogInQuery('new')
  const created = useSignal<CreatedKey | undefined>(undefined)
  const asked = useSignal<KeyRecord | undefined>(undefined)
  const resource = useResource('keys', {
    load: async signal => {
      const [keys, own] = await Promise.all([listAll<KeyRecord>('/api/keys', {}, signal), ownKey(signal)])
      return { keys, ownId: own.apiKeyId }
    },
    concerns: ({ type }) => type === 'reset' || type === 'key',
  })
  const ownId = resource.value?.ownId
  const columns = keyColumns(ownId, key => {
    asked.value = key
  })
  return (
    <>
      <div class="page-head">
        <h1>Keys</h1>
        <ReloadButton label="Reload the keys" resource={resource} />
        {resource.value && (
          <Button kind="primary" onClick={creation.open}>
            New key
          </Button>
        )}
      </div>
      {created.value && <Secret created={created.value} onClose={() => (created.value = undefined)} />}
      <Loaded resource={resource} what="the keys">
        {({ keys }) => (
          <Table caption="API keys" columns={columns} rows={keys} keyOf={({ apiKeyId }) => apiKeyId} />
        )}
      </Loaded>
      {creation.isOpen && (
        <KeyDialog
          onCreated={key => {
            created.value = key
            resource.reload()
          }}
          onClose={creation.close}
        />
      )}
      {asked.value && (
        <RevokeDialog
          apiKey={asked.value}
          isOwn={asked.value.apiKeyId === ownId}
          onRevoked={resource.reload}
          onClose={() => (asked.value = undefined)}
        />
      )}
    </>
  )
}

/** The secret of a new key, until the user closes it. The page stores it nowhere else. */
function Secret({ created: { name, key }, onClose }: { created: CreatedKey; onClose(): void }) {
  return (
    <section class="secret" role="status" aria-label="New key">
      <p>
        Copy the secret of <strong>{shown(name, 100)}</strong> now. It is not shown again.
      </p>
      <Copyable text={key} what="the secret" />
      <Button onClick={onClose}>Done</Button>
    </section>
  )
}

interface RevokeDialogProps {
  apiKey: KeyRecord
  /** This browser has the permissions of the key. */
  isOwn: boolean
  onRevoked(): void
  onClose(): void
}

function RevokeDialog({ apiKey: { apiKeyId, name }, isOwn, onRevoked, onClose }: RevokeDialogProps) {
  const revoke = async () => {
    await request('DELETE', `/api/keys/${encodeURIComponent(apiKeyId)}`)
    notify(`Revoked ${shown(name, 100)}.`)
    onRevoked()
  }
  return (
    <Dialog
      title={`Revoke ${shown(name, 100)}?`}
      confirm="Revoke"
      danger
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>Requests with this key will be refused immediately.</p>
      {isOwn && <p>This browser is signed in with this key, so you will be signed out.</p>}
    </Dialog>
  )
}
