import { useSignal } from '@preact/signals'
import type { ModelKeyRecord } from '../../../shared/contract/access/model-keys.ts'
import { VENDOR_MODELS } from '../../../shared/contract/access/vendor-models.ts'
import { request } from '../../api/client.ts'
import { Button } from '../../components/button.tsx'
import { Copyable } from '../../components/copy.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { notify } from '../../components/notices.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Text } from '../../components/text.tsx'
import { ModelKeyDialog } from './model-key-dialog.tsx'
import { type Models, VENDOR_NAMES } from './models.ts'

/** Keys of model vendors. Only a key with the scope ADMIN may change them. */
export function ModelKeys({ models: { keys, own } }: { models: Models }) {
  const edited = useSignal<ModelKeyRecord | undefined>(undefined)
  const removed = useSignal<ModelKeyRecord | undefined>(undefined)
  const isAdmin = own.scopes.includes('ADMIN')
  const hasKey = keys.items.some(({ source }) => source !== null)
  return (
    <section class="section" aria-labelledby="model-keys">
      <h2 id="model-keys">Model keys</h2>
      {!hasKey && <NoKey isAdmin={isAdmin} />}
      <Table
        caption="Keys of model vendors"
        columns={columns(isAdmin, { edited, removed })}
        rows={keys.items}
        keyOf={({ vendor }) => vendor}
      />
      {edited.value && <ModelKeyDialog record={edited.value} onClose={() => (edited.value = undefined)} />}
      {removed.value && <RemoveDialog record={removed.value} onClose={() => (removed.value = undefined)} />}
    </section>
  )
}

function NoKey({ isAdmin }: { isAdmin: boolean }) {
  return (
    <div class="chat-no-key">
      <p>
        No vendor has a key, so chats use the embedded model. It only chooses calls from names, descriptions
        and schemas. {isAdmin ? 'Set a key below, or with' : 'A key with the scope ADMIN can save one with'}{' '}
        this command:
      </p>
      <Copyable text="mcp models login anthropic" what="the command" />
    </div>
  )
}

interface Chosen {
  edited: { value: ModelKeyRecord | undefined }
  removed: { value: ModelKeyRecord | undefined }
}

function columns(isAdmin: boolean, { edited, removed }: Chosen): readonly Column<ModelKeyRecord>[] {
  const facts: Column<ModelKeyRecord>[] = [
    { name: 'Vendor', kind: 'head', cell: ({ vendor }) => VENDOR_NAMES[vendor] },
    { name: 'Model', cell: ({ vendor }) => <code>{VENDOR_MODELS[vendor]}</code> },
    { name: 'Key', cell: key => <KeyText record={key} /> },
  ]
  if (!isAdmin) return facts
  const actions: Column<ModelKeyRecord> = {
    name: 'Actions',
    hasNoLabel: true,
    kind: 'actions',
    wide: true,
    cell: key => (
      <>
        {key.source !== 'environment' && (
          <Button
            kind="quiet"
            icon="edit"
            label={`${key.source ? 'Replace' : 'Set'} the ${VENDOR_NAMES[key.vendor]} API key`}
            onClick={() => (edited.value = key)}
          />
        )}
        {key.source === 'saved' && (
          <Button
            kind="quiet"
            icon="remove"
            label={`Remove the ${VENDOR_NAMES[key.vendor]} API key`}
            onClick={() => (removed.value = key)}
          />
        )}
      </>
    ),
  }
  return [...facts, actions]
}

function KeyText({ record: { source, hint, baseUrl } }: { record: ModelKeyRecord }) {
  if (source === null) return <span class="muted">none</span>
  return (
    <span class="wrap">
      <code>{hint}</code> {source === 'environment' ? "from the daemon's environment" : 'saved'}
      {baseUrl !== null && (
        <>
          , at <Text value={baseUrl} max={200} />
        </>
      )}
    </span>
  )
}

function RemoveDialog({ record: { vendor }, onClose }: { record: ModelKeyRecord; onClose(): void }) {
  const remove = async () => {
    await request('DELETE', `/api/model-keys/${vendor}`)
    notify(`Removed the ${VENDOR_NAMES[vendor]} API key.`)
  }
  return (
    <Dialog
      title={`Remove the ${VENDOR_NAMES[vendor]} API key?`}
      confirm="Remove"
      danger
      onConfirm={remove}
      onClose={onClose}
    >
      <p>Tests and chats can no longer use its models.</p>
    </Dialog>
  )
}
