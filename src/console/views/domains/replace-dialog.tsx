import type { DeploymentStatus } from '../../../shared/contract/deployments/deployments.ts'
import type { MappingRecord } from '../../../shared/contract/deployments/mappings.ts'
import { Dialog } from '../../components/dialog.tsx'
import { notify } from '../../components/notices.tsx'
import { mapSubdomain } from './mappings.ts'

/** A mapping that the user wants to point elsewhere. */
export interface Replacement {
  mapping: MappingRecord
  /** Tag of the state that the user sees. A later change makes the replacement fail. */
  tag: string
  to: DeploymentStatus
}

interface ReplaceDialogProps {
  replacement: Replacement
  onDone(): void
  onClose(): void
}

export function ReplaceDialog({ replacement: { mapping, tag, to }, onDone, onClose }: ReplaceDialogProps) {
  const { subdomain, server, environment } = mapping
  const move = async () => {
    await mapSubdomain(subdomain, to.deployment_id, tag)
    notify(`${subdomain} points to ${to.name} in ${to.environment}.`)
    onDone()
  }
  return (
    <Dialog title={`Move ${subdomain}?`} confirm="Move" danger onConfirm={move} onClose={onClose}>
      <p class="wrap">
        It points to {server} in {environment}. Its clients will reach {to.name} in {to.environment}.
      </p>
    </Dialog>
  )
}
