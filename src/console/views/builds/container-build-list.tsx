import { useSignal } from '@preact/signals'
import type { ContainerBuildRecord } from '../../../shared/contract/builds/container-builds.ts'
import type { ProjectRecord } from '../../../shared/contract/projects/projects.ts'
import { CONTAINER_BUILD_STATES } from '../../../shared/contract/states.ts'
import { listAll, listFirst } from '../../api/client.ts'
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

const PAGE_SIZE = 50

const STATES = CONTAINER_BUILD_STATES.map(state => [state, state.replace('_', ' ')] as const)

/** A build with the name of its project. */
type Row = ContainerBuildRecord & { project: string }

export function ContainerBuildList() {
  const count = useSignal(PAGE_SIZE)
  const status = query.value.get('state') ?? undefined
  const projectId = query.value.get('project') ?? undefined
  const resource = useResource(`${status} ${projectId}`, {
    load: signal => loadRows({ status, projectId }, count.peek(), signal),
    concerns: ({ type }) => ['reset', 'containerBuild', 'project'].includes(type),
  })
  const showOlder = () => {
    count.value += PAGE_SIZE
    resource.reload()
  }
  return (
    <>
      <search class="filters">
        <QueryChoice name="state" label="State" choices={[['', 'All states'], ...STATES]} />
        <QueryChoice
          name="project"
          label="Filter by project"
          choices={projectChoices(resource.value?.projects ?? [], projectId)}
        />
      </search>
      <Loaded resource={resource} what="the container builds">
        {({ items, hasMore }) =>
          items.length === 0 ? (
            <NoBuilds isFiltered={status !== undefined || projectId !== undefined} />
          ) : (
            <>
              <Table
                caption="Container builds, newest first"
                columns={COLUMNS}
                rows={items}
                keyOf={({ id }) => id}
              />
              {hasMore && <Button onClick={showOlder}>Show older builds</Button>}
            </>
          )
        }
      </Loaded>
    </>
  )
}

/** The chosen project may have been deleted. */
function projectChoices(projects: readonly ProjectRecord[], chosen: string | undefined) {
  const names = new Map(projects.map(({ id, name }) => [id, shown(name, 60)]))
  if (chosen !== undefined && !names.has(chosen)) names.set(chosen, shown(chosen, 60))
  return [['', 'All projects'], ...names] as const
}

async function loadRows(filter: Record<string, string | undefined>, count: number, signal: AbortSignal) {
  const [{ items, hasMore }, projects] = await Promise.all([
    listFirst<ContainerBuildRecord>('/api/lambda-builds', count, { query: filter, signal }),
    listAll<ProjectRecord>('/api/projects', {}, signal),
  ])
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  const rows: Row[] = items.map(build => ({
    ...build,
    project: names.get(build.projectId) ?? build.projectId,
  }))
  return { items: rows, hasMore, projects }
}

function NoBuilds({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <p class="muted">No container build matches the filters.</p>
  return (
    <div class="empty">
      <h2>No container builds yet</h2>
      <p>
        A container build makes an image of a project's source. These commands upload the source of a folder
        and build it:
      </p>
      <Copyable
        text={'mcp projects create weather\nmcp projects upload weather .\nmcp projects build weather'}
        what="the commands"
      />
    </div>
  )
}

const COLUMNS: readonly Column<Row>[] = [
  {
    name: 'Project',
    kind: 'head',
    wide: true,
    cell: ({ id, project, createdAt }) => (
      <Link to={buildPath(id)} class="row-link">
        <Text value={project} max={100} />
        <span class="muted">
          <Time at={createdAt} />
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
      <span class="mono wrap">{imageUri === '' ? '–' : <Text value={imageName(imageUri)} max={200} />}</span>
    ),
  },
  {
    name: 'Actions',
    hasNoLabel: true,
    kind: 'actions',
    wide: true,
    cell: build => isRunning(build) && <StopBuild build={build} project={build.project} />,
  },
]
