import { Dialog } from '../../../components/dialog.tsx'
import { notify } from '../../../components/notices.tsx'
import { changeVariables } from './variables.ts'

interface RemoveVariableDialogProps {
  server: string
  environment: string
  variable: string
  onClose(): void
}

export function RemoveVariableDialog({ server, environment, variable, onClose }: RemoveVariableDialogProps) {
  const remove = async () => {
    await changeVariables(server, environment, { [variable]: null })
    notify(`Removed ${variable} from ${environment}.`)
  }
  return (
    <Dialog
      title={`Remove ${variable} from ${environment}?`}
      confirm="Remove"
      danger
      onConfirm={remove}
      onClose={onClose}
    >
      <p>The live release keeps its value. The next release will not have it.</p>
    </Dialog>
  )
}
