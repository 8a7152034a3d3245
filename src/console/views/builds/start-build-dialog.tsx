import { useSignal } from '@preact/signals'
import type { ContainerBuildRecord } from '../../../shared/contract/builds/container-builds.ts'
import type { ProjectRecord } from '../../../shared/contract/projects/projects.ts'
import { HostingError } from '../../../shared/errors.ts'
import { listAll, request } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { useAction } from '../../components/action.ts'
import { bound } from '../../components/bound.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { notifyError } from '../../components/notices.tsx'
import { shown } from '../../components/text.tsx'
import { navigate } from '../../router/router.ts'
import { buildPath } from '../paths.ts'

/** Starts a container build of a project and shows it. */
export function StartBuildDialog({ onClose }: { onClose(): void }) {
  const chosen = useSignal('')
  const resource = useResource('projects', {
    load: signal => listAll<ProjectRecord>('/api/projects', { status: 'active' }, signal),
    concerns: ({ type }) => type === 'reset' || type === 'project',
  })
  const start = async () => {
    if (chosen.value === '') throw new HostingError('INVALID_REQUEST', 'Choose a project.')
    await startBuild(chosen.value)
  }
  return (
    <Dialog title="Start a container build" confirm="Start" onConfirm={start} onClose={onClose}>
      <Loaded resource={resource} what="the projects">
        {projects => (
          <label class="field">
            Project
            <select class="input" {...bound(chosen)}>
              <option value="">{projects.length === 0 ? 'No active project' : 'Choose a project'}</option>
              {projects.map(({ id, name }) => (
                <option key={id} value={id}>
                  {shown(name, 100)}
                </option>
              ))}
            </select>
          </label>
        )}
      </Loaded>
      <p class="muted">The build uses the source that was last uploaded to the project.</p>
    </Dialog>
  )
}

/** Starts another build of the same project. */
export function BuildAgain({ build: { projectId } }: { build: ContainerBuildRecord }) {
  const action = useAction(() => startBuild(projectId).catch(notifyError))
  return (
    <Button icon="restart" busy={action.isRunning} onClick={() => void action.run()}>
      Build again
    </Button>
  )
}

async function startBuild(projectId: string): Promise<void> {
  const { id } = await request<ContainerBuildRecord>(
    'POST',
    `/api/lambda-builds/trigger/${encodeURIComponent(projectId)}`,
  )
  navigate(buildPath(id))
}
