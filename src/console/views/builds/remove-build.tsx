import { useSignal } from '@preact/signals'
import type { BuildRecord } from '../../../shared/contract/builds/builds.ts'
import { request } from '../../api/client.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { notify } from '../../components/notices.tsx'

interface RemoveBuildProps {
  build: BuildRecord
  /** The button shows its label as text. */
  hasText?: boolean
  onRemoved?(): void
}

/** Removes a build after confirmation. The API refuses to remove one that a deployment uses. */
export function RemoveBuild({ build: { mcp_id, name }, hasText, onRemoved }: RemoveBuildProps) {
  const isAsking = useSignal(false)
  const remove = async () => {
    await request('DELETE', `/v1/build/${encodeURIComponent(mcp_id)}`)
    notify(`Removed a build of ${name}.`)
    onRemoved?.()
  }
  const ask = () => {
    isAsking.value = true
  }
  return (
    <>
      {hasText ? (
        <Button icon="remove" onClick={ask}>
          Remove
        </Button>
      ) : (
        <Button kind="quiet" icon="remove" label={`Remove build ${mcp_id} of ${name}`} onClick={ask} />
      )}
      {isAsking.value && (
        <Dialog
          title={`Remove this build of ${name}?`}
          confirm="Remove"
          danger
          onConfirm={remove}
          onClose={() => (isAsking.value = false)}
        >
          <p>
            Its artifact, source and log are permanently removed. Nothing can be deployed from it afterwards.
          </p>
          <p class="mono wrap muted">{mcp_id}</p>
        </Dialog>
      )}
    </>
  )
}
