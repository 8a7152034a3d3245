import type { ContainerBuildRecord } from '../../../shared/contract/builds/container-builds.ts'
import type { ProjectRecord } from '../../../shared/contract/projects/projects.ts'
import { CONTAINER_BUILD_STATES } from '../../../shared/contract/states.ts'
import { listAll } from '../../api/client.ts'
import { useFirstItems } from '../../api/first-items.ts'
import { useResource } from '../../api/resource.ts'
import { Button } from '../../components/button.tsx'
import { Copyable } from '../../components/copy.tsx'
import { QueryChoice } from '../../components/filters/query-filter.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { shown, Text } from '../../components/text.tsx'
import { Duration, Time } from '../../components/time.tsx'
import { Link } from '../../router/link.tsx'
import { query } from '../../router/router.ts'
import { buildPath } from '../paths.ts'
import { ContainerBuildState, imageName, isRunning, phaseText } from './container-build-text.tsx'
import { StopBuild } from './stop-build.tsx'

const STATES = CONTAINER_BUILD_STATES.map(state => [state, state.replace('_', ' ')] as const)

export function ContainerBuildList() {
  const status = query.value.get('state') ?? undefined
  const projectId = query.value.get('project') ?? undefined
  const names = useProjectNames()
  const { resource, showMore } = useFirstItems<ContainerBuildRecord>('/api/lambda-builds', {
    query: { status, projectId },
    pageSize: 50,
    concerns: ({ type }) => type === 'reset' || type === 'containerBuild',
  })
  return (
    <>
      <search class="filters">
        <QueryChoice name="state" label="State" choices={[['', 'All states'], ...STATES]} />
        <QueryChoice name="project" label="Filter by project" choices={projectChoices(names, projectId)} />
      </search>
      <Loaded resource={resource} what="the container builds">
        {({ items, hasMore }) =>
          items.length === 0 ? (
            <NoBuilds isFiltered={status !== undefined || projectId !== undefined} />
          ) : (
            <>
              <Table
                caption="Container builds, newest first"
                columns={columnsWith(names)}
                rows={items}
                keyOf={({ id }) => id}
              />
              {hasMore && <Button onClick={showMore}>Show older builds</Button>}
            </>
          )
        }
      </Loaded>
    </>
  )
}

/** Names by id. Includes deleted projects, because their builds stay listed. */
function useProjectNames(): ReadonlyMap<string, string> {
  const { value = [] } = useResource('project names', {
    load: async signal => {
      const [deleted, others] = await Promise.all([
        listAll<ProjectRecord>('/api/projects', { status: 'deleted' }, signal),
        listAll<ProjectRecord>('/api/projects', {}, signal),
      ])
      return [...others, ...deleted]
    },
    concerns: ({ type }) => type === 'reset' || type === 'project',
  })
  return new Map(value.map(({ id, name }) => [id, shown(name, 60)]))
}

/** Choices for the project filter. The chosen project may no longer exist. */
function projectChoices(names: ReadonlyMap<string, string>, chosen: string | undefined) {
  const all = new Map([...(chosen === undefined ? [] : [[chosen, shown(chosen, 60)] as const]), ...names])
  return [['', 'All projects'], ...all] as const
}

function NoBuilds({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <p class="muted">No container build matches the filters.</p>
  return (
    <div class="empty">
      <h2>No container builds yet</h2>
      <p>
        A container build makes an image from a project's source. These commands upload the source of a folder
        and build it:
      </p>
      <Copyable
        text={'mcp projects create weather\nmcp projects upload weather .\nmcp projects build weather'}
        what="the commands"
      />
    </div>
  )
}

function columnsWith(names: ReadonlyMap<string, string>): readonly Column<ContainerBuildRecord>[] {
  const nameOf = ({ projectId }: ContainerBuildRecord) => names.get(projectId) ?? projectId
  return [
    {
      name: 'Project',
      kind: 'head',
      wide: true,
      cell: build => (
        <Link to={buildPath(build.id)} class="row-link">
          <Text value={nameOf(build)} max={100} />
          <span class="muted">
            <Time at={build.createdAt} />
          </span>
        </Link>
      ),
    },
    { name: 'State', cell: build => <ContainerBuildState build={build} /> },
    { name: 'Phase', cell: build => (isRunning(build) ? phaseText(build.currentPhase) : '–') },
    {
      name: 'Duration',
      kind: 'number',
      cell: ({ startTime, endTime }) => (startTime === '' ? '–' : <Duration from={startTime} to={endTime} />),
    },
    {
      name: 'Image',
      wide: true,
      cell: ({ imageUri }) => (
        <span class="mono wrap">
          {imageUri === '' ? '–' : <Text value={imageName(imageUri)} max={200} />}
        </span>
      ),
    },
    {
      name: 'Actions',
      hasNoLabel: true,
      kind: 'actions',
      wide: true,
      cell: build => isRunning(build) && <StopBuild build={build} project={nameOf(build)} />,
    },
  ]
}
