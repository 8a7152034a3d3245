import { Button } from '../../components/button.tsx'
import { openDialog } from '../../components/dialog-outlet.tsx'

/** Opens the dialog that deploys a definition as a new server. */
export function NewServerButton() {
  const open = () =>
    openDialog('the form', async () =>
      import('../lazy-views.ts').then(({ NewServerDialog }) => onClose => (
        <NewServerDialog onClose={onClose} />
      )),
    )
  return (
    <Button kind="primary" onClick={() => void open()}>
      New server
    </Button>
  )
}
