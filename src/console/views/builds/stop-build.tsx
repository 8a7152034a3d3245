import { useSignal } from '@preact/signals'
import type { ContainerBuildRecord } from '../../../shared/contract/builds/container-builds.ts'
import { request } from '../../api/client.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { notify } from '../../components/notices.tsx'
import { shown } from '../../components/text.tsx'

interface StopBuildProps {
  build: ContainerBuildRecord
  /** Name of the project. */
  project: string
}

/** Stops a container build after confirmation. */
export function StopBuild({ build: { id }, project }: StopBuildProps) {
  const isAsking = useSignal(false)
  const name = shown(project, 60)
  const stop = async () => {
    await request('POST', `/api/lambda-builds/${encodeURIComponent(id)}/stop`)
    notify(`Stopped the build of ${name}.`)
  }
  return (
    <>
      <Button
        kind="quiet"
        icon="stop"
        label={`Stop the build of ${name}`}
        onClick={() => (isAsking.value = true)}
      />
      {isAsking.value && (
        <Dialog
          title={`Stop the build of ${name}?`}
          confirm="Stop"
          danger
          onConfirm={stop}
          onClose={() => (isAsking.value = false)}
        >
          <p>Its processes are killed. A stopped build cannot continue, but you can start another one.</p>
        </Dialog>
      )}
    </>
  )
}
