import './projects.css'
import { useSignal } from '@preact/signals'
import type { ProjectRecord } from '../../../shared/contract/projects/projects.ts'
import { listAll } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { Button } from '../../components/button.tsx'
import { Copyable } from '../../components/copy.tsx'
import { QueryChoice } from '../../components/filters/query-filter.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Table } from '../../components/table.tsx'
import { dialogInQuery } from '../../router/dialog-in-query.ts'
import { query } from '../../router/router.ts'
import { useTitle } from '../../router/use-title.ts'
import { type ProjectAction, projectColumns } from './project-columns.tsx'
import { ProjectDialog } from './project-dialog.tsx'
import { StatusDialog } from './status-dialog.tsx'
import { UploadDialog } from './upload-dialog.tsx'

const STATUSES = [
  ['', 'Not deleted'],
  ['active', 'Active'],
  ['archived', 'Archived'],
  ['deleted', 'Deleted'],
] as const

/** An action that waits for the user. */
interface Asked {
  action: ProjectAction
  project: ProjectRecord
}

/** Projects with the source of their builds. */
export function ProjectsView() {
  useTitle('Projects')
  const asked = useSignal<Asked | undefined>(undefined)
  const creation = dialogInQuery('new')
  const status = query.value.get('status') ?? ''
  const resource = useResource(`projects ${status}`, {
    load: signal => listAll<ProjectRecord>('/api/projects', { status }, signal),
    concerns: ({ type }) => type === 'reset' || type === 'project',
  })
  const columns = projectColumns((action, project) => {
    asked.value = { action, project }
  })
  const isEmpty = resource.value?.length === 0 && status === ''
  return (
    <>
      <div class="page-head">
        <h1>Projects</h1>
        {!isEmpty && <QueryChoice name="status" label="Status" choices={STATUSES} />}
        {resource.value && (
          <Button kind="primary" onClick={creation.open}>
            New project
          </Button>
        )}
      </div>
      <Loaded resource={resource} what="the projects">
        {projects =>
          projects.length > 0 ? (
            <Table caption="Projects" columns={columns} rows={projects} keyOf={({ id }) => id} />
          ) : isEmpty ? (
            <NoProjects />
          ) : (
            <p class="muted">No project has this status.</p>
          )
        }
      </Loaded>
      {creation.isOpen && (
        <ProjectDialog project={undefined} onDone={resource.reload} onClose={creation.close} />
      )}
      {asked.value && (
        <ActionDialog
          asked={asked.value}
          onDone={resource.reload}
          onClose={() => (asked.value = undefined)}
        />
      )}
    </>
  )
}

function NoProjects() {
  return (
    <div class="empty">
      <h2>No projects yet</h2>
      <p>
        A project holds the source of a server written in code. <code>mcp build</code> and <code>mcp up</code>{' '}
        create one and upload the folder. These commands do the same step by step:
      </p>
      <Copyable text={'mcp projects create weather\nmcp projects upload weather .'} what="the commands" />
    </div>
  )
}

interface ActionDialogProps {
  asked: Asked
  onDone(): void
  onClose(): void
}

function ActionDialog({ asked: { action, project }, ...rest }: ActionDialogProps) {
  if (action === 'edit') return <ProjectDialog project={project} {...rest} />
  if (action === 'upload') return <UploadDialog project={project} {...rest} />
  return <StatusDialog project={project} status={action} {...rest} />
}
