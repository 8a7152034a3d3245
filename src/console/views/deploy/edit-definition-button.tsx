import type { Environment } from '../../../shared/contract/states.ts'
import { Button } from '../../components/button.tsx'
import { openDialog } from '../../components/dialog-outlet.tsx'

interface EditDefinitionProps {
  name: string
  mcpId: string
  environment: Environment
}

/** Opens the dialog that changes the definition of a server. */
export function EditDefinitionButton(props: EditDefinitionProps) {
  const open = () =>
    openDialog('the form', async () =>
      import('../lazy-views.ts').then(({ EditDefinitionDialog }) => onClose => (
        <EditDefinitionDialog {...props} onClose={onClose} />
      )),
    )
  return (
    <Button icon="edit" onClick={() => void open()}>
      Edit definition
    </Button>
  )
}
