import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { DeploymentStatus } from '../../../../shared/contract/deployments/deployments.ts'
import type { ReleaseRecord } from '../../../../shared/contract/deployments/releases.ts'
import { useAttempts } from '../../../api/attempts.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { Time } from '../../../components/time.tsx'
import { Phase } from '../../deploy/phase.tsx'
import { handover } from '../../deploy/replacement.tsx'
import { runRelease } from '../../deploy/run-deployment.ts'

interface RollbackDialogProps {
  live: DeploymentStatus
  target: ReleaseRecord
  onClose(): void
}

/** Asks for confirmation before a rollback, which is a new release with the build of the selected one. */
export function RollbackDialog({ live, target, onClose }: RollbackDialogProps) {
  const { name, environment, version, createdAt, isRemoved } = target
  const attempt = useAttempts()
  const phase = useSignal('')
  // A rollback whose answer was lost may already be live. A retry must send the same request.
  const from = useRef(live.deployment_id)
  const rollBack = () =>
    attempt(send =>
      runRelease(send, `/v1/deploy/${encodeURIComponent(from.current)}/rollback`, {
        body: { to: target.deploymentId },
        phase,
        hasWarned: isRemoved,
        done: release => `${name} in ${environment} was rolled back to v${version}, as v${release.version}.`,
      }),
    )
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
      <Phase phase={phase} />
    </Dialog>
  )
}
