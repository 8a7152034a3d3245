import type { ComponentChildren } from 'preact'
import { Button } from '../../components/button.tsx'
import { openDialog } from '../../components/dialog-outlet.tsx'
import type { DeployTarget } from './deploy-target.ts'

interface DeployButtonProps {
  target: DeployTarget
  kind?: 'primary'
  children: ComponentChildren
}

/** Opens the dialog that deploys a build. */
export function DeployButton({ target, kind, children }: DeployButtonProps) {
  return (
    <Button kind={kind} onClick={() => void openDeployDialog(target)}>
      {children}
    </Button>
  )
}

export function openDeployDialog(target: DeployTarget): Promise<void> {
  return openDialog('the form', async () =>
    import('../lazy-views.ts').then(({ DeployDialog }) => onClose => (
      <DeployDialog target={target} onClose={onClose} />
    )),
  )
}
