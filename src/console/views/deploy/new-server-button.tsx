import { useSignal } from '@preact/signals'
import { Button } from '../../components/button.tsx'
import { lazyView } from '../../components/lazy-view.tsx'

const DeployDialog = lazyView<{ onClose(): void }>('the form', async () =>
  import('../lazy-views.ts').then(({ DeployDialog }) => DeployDialog),
)

/** Opens the dialog that deploys a definition. */
export function DeployButton() {
  const isOpen = useSignal(false)
  return (
    <>
      <Button kind="primary" onClick={() => (isOpen.value = true)}>
        New server
      </Button>
      {isOpen.value && <DeployDialog onClose={() => (isOpen.value = false)} />}
    </>
  )
}
