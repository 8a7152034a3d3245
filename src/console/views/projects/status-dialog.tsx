import type { ProjectRecord } from '../../../shared/contract/projects/projects.ts'
import type { ProjectState } from '../../../shared/contract/states.ts'
import { request } from '../../api/client.ts'
import { Dialog } from '../../components/dialog.tsx'
import { notify } from '../../components/notices.tsx'
import { shown } from '../../components/text.tsx'

const TEXTS: Record<ProjectState, { verb: string; done: string; effect: string }> = {
  archived: {
    verb: 'Archive',
    done: 'Archived',
    effect: 'New sources and builds are rejected until you reactivate it. Its servers keep running.',
  },
  active: { verb: 'Reactivate', done: 'Reactivated', effect: 'New sources and builds are accepted again.' },
  deleted: {
    verb: 'Delete',
    done: 'Deleted',
    effect: 'The project and its sources are deleted permanently. Servers built from it are kept.',
  },
}

interface StatusDialogProps {
  project: ProjectRecord
  /** State after the change. */
  status: ProjectState
  onDone(): void
  onClose(): void
}

export function StatusDialog({ project: { id, name }, status, onDone, onClose }: StatusDialogProps) {
  const { verb, done, effect } = TEXTS[status]
  const change = async () => {
    await request('PATCH', `/api/projects/${encodeURIComponent(id)}`, { body: { status } })
    notify(`${done} ${shown(name, 100)}.`)
    onDone()
  }
  return (
    <Dialog
      title={`${verb} ${shown(name, 100)}?`}
      confirm={verb}
      danger={status === 'deleted'}
      onConfirm={change}
      onClose={onClose}
    >
      <p>{effect}</p>
    </Dialog>
  )
}
