import { Button } from '../../components/button.tsx'
import { lazyView } from '../../components/lazy-view.tsx'
import { dialogInQuery } from '../../router/dialog-in-query.ts'

const Dialog = lazyView<{ onClose(): void }>('the form', async () =>
  import('../lazy-views.ts').then(({ NewServerDialog }) => NewServerDialog),
)

const NAME = 'new'

/** Opens the dialog that deploys a definition as a new server. */
export function NewServerButton() {
  return (
    <Button kind="primary" onClick={dialogInQuery(NAME).open}>
      New server
    </Button>
  )
}

/** The dialog. Rendered once per view, so that it stays open when the first server replaces the empty list. */
export function OpenNewServer() {
  const { isOpen, close } = dialogInQuery(NAME)
  return isOpen ? <Dialog onClose={close} /> : null
}
