import { useSignal } from '@preact/signals'
import type { ModelKeyRecord } from '../../../shared/contract/access/model-keys.ts'
import { request } from '../../api/client.ts'
import { bound } from '../../components/bound.ts'
import { Dialog } from '../../components/dialog.tsx'
import { notify } from '../../components/notices.tsx'
import { VENDOR_NAMES } from './models.ts'

interface ModelKeyDialogProps {
  record: ModelKeyRecord
  onClose(): void
}

/** Saves a key. The page sends it once and does not store it. */
export function ModelKeyDialog({ record: { vendor, baseUrl }, onClose }: ModelKeyDialogProps) {
  const apiKey = useSignal('')
  const url = useSignal(baseUrl ?? '')
  const save = async () => {
    const body = { apiKey: apiKey.value, ...(url.value !== '' && { baseUrl: url.value }) }
    await request('PUT', `/api/model-keys/${vendor}`, { body })
    notify(`Saved the ${VENDOR_NAMES[vendor]} API key.`)
  }
  return (
    <Dialog title={`${VENDOR_NAMES[vendor]} API key`} confirm="Save" onConfirm={save} onClose={onClose}>
      <label class="field">
        Key
        <input
          class="input mono"
          type="password"
          required
          maxLength={1000}
          autocomplete="off"
          {...bound(apiKey)}
        />
      </label>
      <label class="field">
        Base URL, if it is not the vendor's
        <input class="input mono" type="url" autocomplete="off" spellcheck={false} {...bound(url)} />
      </label>
      <p class="muted">The daemon stores the key encrypted. It is never shown again.</p>
    </Dialog>
  )
}
