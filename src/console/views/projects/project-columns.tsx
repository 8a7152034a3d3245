import type { ProjectRecord } from '../../../shared/contract/projects/projects.ts'
import { formatBytes } from '../../../shared/format/metric-format.ts'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy.tsx'
import type { IconName } from '../../components/icon.tsx'
import { State } from '../../components/state.tsx'
import type { Column } from '../../components/table.tsx'
import { shown, Text } from '../../components/text.tsx'
import { Time } from '../../components/time.tsx'
import { Link } from '../../router/link.tsx'
import { projectBuildsPath } from '../paths.ts'

/** Status changes are named after the new status. */
export type ProjectAction = 'upload' | 'edit' | 'archived' | 'active' | 'deleted'

const HASH_LENGTH = 12

export function projectColumns(
  onAsk: (action: ProjectAction, project: ProjectRecord) => void,
): readonly Column<ProjectRecord>[] {
  return [
    {
      name: 'Project',
      kind: 'head',
      wide: true,
      cell: ({ name, description }) => (
        <span class="project-name">
          <Text value={name} max={100} />
          {description && (
            <span class="muted">
              <Text value={description} max={200} />
            </span>
          )}
        </span>
      ),
    },
    { name: 'Status', cell: ({ status }) => <State value={status} /> },
    { name: 'Source', wide: true, cell: project => <Source project={project} /> },
    { name: 'Updated', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
    {
      name: 'Builds',
      cell: ({ id, name }) => (
        <Link to={projectBuildsPath(id)}>
          Show<span class="hidden"> the builds of {shown(name, 100)}</span>
        </Link>
      ),
    },
    {
      name: 'Actions',
      hasNoLabel: true,
      kind: 'actions',
      wide: true,
      cell: project =>
        actionsOf(project).map(([action, icon, label]) => (
          <Button
            key={action}
            kind="quiet"
            icon={icon}
            label={`${label} ${shown(project.name, 60)}`}
            onClick={() => onAsk(action, project)}
          />
        )),
    },
  ]
}

function actionsOf({ status }: ProjectRecord): readonly (readonly [ProjectAction, IconName, string])[] {
  if (status === 'deleted') return []
  const edit = ['edit', 'edit', 'Edit'] as const
  const remove = ['deleted', 'remove', 'Delete'] as const
  if (status === 'archived') return [edit, ['active', 'restore', 'Reactivate'], remove]
  return [['upload', 'upload', 'Upload the source of'], edit, ['archived', 'archive', 'Archive'], remove]
}

function Source({
  project: { name, sourceDigest, sourceBytes, sourceUploadedAt, storageLocation },
}: {
  project: ProjectRecord
}) {
  if (sourceDigest === null || sourceBytes === null || sourceUploadedAt === null)
    return storageLocation ? (
      <span class="mono wrap">
        <Text value={storageLocation} max={200} />
      </span>
    ) : (
      <span class="muted">none</span>
    )
  return (
    <span class="project-source">
      <span>
        {formatBytes(sourceBytes)}, <Time at={sourceUploadedAt} />
      </span>
      <span class="project-hash">
        <code title="SHA-256">{sourceDigest.slice(0, HASH_LENGTH)}</code>
        <CopyButton text={sourceDigest} what={`the SHA-256 of the source of ${shown(name, 60)}`} />
      </span>
    </span>
  )
}
