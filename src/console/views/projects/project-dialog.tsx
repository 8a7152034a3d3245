import { useSignal } from '@preact/signals'
import type {
  CreateProjectRequest,
  ProjectRecord,
  UpdateProjectRequest,
} from '../../../shared/contract/projects/projects.ts'
import { HostingError } from '../../../shared/errors.ts'
import { listAll, request } from '../../api/client.ts'
import { bound } from '../../components/bound.ts'
import { Dialog } from '../../components/dialog.tsx'
import { notify } from '../../components/notices.tsx'
import { shown } from '../../components/text.tsx'

interface ProjectDialogProps {
  /** Project to change. Undefined to create one. */
  project: ProjectRecord | undefined
  onDone(): void
  onClose(): void
}

export function ProjectDialog({ project, onDone, onClose }: ProjectDialogProps) {
  const name = useSignal(project?.name ?? '')
  const description = useSignal(project?.description ?? '')
  const save = async () => {
    const fields = { name: name.value, description: description.value || null }
    await (project ? update(project, fields) : request('POST', '/api/projects', { body: fields }))
    notify(`${project ? 'Changed' : 'Created'} ${shown(name.value, 100)}.`)
    onDone()
  }
  return (
    <Dialog
      title={project ? `Edit ${shown(project.name, 100)}` : 'New project'}
      confirm={project ? 'Save' : 'Create'}
      onConfirm={save}
      onClose={onClose}
    >
      <label class="field">
        Name
        <input class="input" required maxLength={100} dir="auto" autocomplete="off" {...bound(name)} />
      </label>
      <label class="field">
        Description
        <textarea class="input" rows={3} maxLength={2000} dir="auto" {...bound(description)} />
      </label>
    </Dialog>
  )
}

async function update(project: ProjectRecord, fields: CreateProjectRequest): Promise<void> {
  if (fields.name !== project.name) await requireFreeName(fields.name)
  const body: UpdateProjectRequest = fields
  await request('PATCH', `/api/projects/${encodeURIComponent(project.id)}`, { body })
}

/** The API accepts any name in an update, but two projects with the same name would be hard to tell apart. */
async function requireFreeName(name: string): Promise<void> {
  const [other] = await listAll<ProjectRecord>('/api/projects', { name })
  if (!other) return
  throw new HostingError('CONFLICT', `Project "${name}" already exists (${other.id}, ${other.status}).`, {
    details: 'Choose another name, or use that project.',
  })
}
