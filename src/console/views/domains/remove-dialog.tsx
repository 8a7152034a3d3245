import type { MappingRecord } from '../../../shared/contract/deployments/mappings.ts'
import { request } from '../../api/client.ts'
import { Dialog } from '../../components/dialog.tsx'
import { notify } from '../../components/notices.tsx'
import { mappingPath } from './mappings.ts'

interface RemoveDialogProps {
  mapping: Pick<MappingRecord, 'subdomain' | 'server'>
  onDone(): void
  onClose(): void
}

export function RemoveDialog({ mapping: { subdomain, server }, onDone, onClose }: RemoveDialogProps) {
  const remove = async () => {
    await request('DELETE', mappingPath(subdomain))
    notify(`Removed ${subdomain}.`)
    onDone()
  }
  return (
    <Dialog title={`Remove ${subdomain}?`} confirm="Remove" danger onConfirm={remove} onClose={onClose}>
      <p class="wrap">
        Clients that use this name no longer reach {server}. The server keeps its port and its other names.
      </p>
    </Dialog>
  )
}
