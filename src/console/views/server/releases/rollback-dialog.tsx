import type {
  DeploymentRecord,
  DeploymentStatus,
} from '../../../../shared/contract/deployments/deployments.ts'
import type { ReleaseRecord } from '../../../../shared/contract/deployments/releases.ts'
import { request } from '../../../api/client.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { notify } from '../../../components/notices.tsx'
import { Time } from '../../../components/time.tsx'
import { requireNoFailure } from '../../../model/failure.ts'
import { handover } from '../../deploy/replacement.tsx'

interface RollbackDialogProps {
  live: DeploymentStatus
  target: ReleaseRecord
  onClose(): void
}

/** Asks for confirmation before a rollback, which is a new release like the selected one. */
export function RollbackDialog({ live, target, onClose }: RollbackDialogProps) {
  const { name, environment, version, createdAt, isRemoved } = target
  const rollBack = async () => {
    const path = `/v1/deploy/${encodeURIComponent(live.deployment_id)}/rollback`
    const record = await request<DeploymentRecord>('POST', path, { body: { to: target.deploymentId } })
    requireNoFailure(record)
    notify(`${name} in ${environment} was rolled back to v${version}, as v${record.version}.`)
    for (const warning of record.warnings ?? []) notify(warning)
  }
  return (
    <Dialog
      title={`Roll ${name} back to v${version}?`}
      confirm={`Roll back to v${version}`}
      onConfirm={rollBack}
      onClose={onClose}
    >
      <p>
        The new release has the build of v{version} from <Time at={createdAt} />
        {isRemoved
          ? ' and the current configuration and variables.'
          : ', its configuration and the variables it had.'}
      </p>
      <p class="muted">{handover(live)}</p>
    </Dialog>
  )
}
