import type { DeploymentStatus } from '../../shared/contract/deployments/deployments.ts'
import { Dialog } from '../components/dialog.tsx'
import { verbLabel } from './deployment-verbs.ts'

interface StopDialogProps {
  deployment: DeploymentStatus
  onConfirm(): Promise<unknown>
  onClose(): void
}

export function StopDialog({ deployment, onConfirm, onClose }: StopDialogProps) {
  return (
    <Dialog
      title={`${verbLabel('stop', deployment)}?`}
      confirm="Stop"
      danger
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>Running requests finish. Clients get no answer until you start it again.</p>
    </Dialog>
  )
}
