import type { BuildRecord } from '../../../shared/contract/builds/builds.ts'
import { BUILD_STATES } from '../../../shared/contract/states.ts'
import { useFirstItems } from '../../api/first-items.ts'
import { Button } from '../../components/button.tsx'
import { QueryChoice } from '../../components/filters/query-filter.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { State } from '../../components/state.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Text } from '../../components/text.tsx'
import { Time } from '../../components/time.tsx'
import { servers } from '../../model/servers.ts'
import { Link } from '../../router/link.tsx'
import { query } from '../../router/router.ts'
import { NoServers } from '../deploy/no-servers.tsx'
import { buildPath } from '../paths.ts'
import { RemoveBuild } from './remove-build.tsx'
import { durationText, surfaceText, Users, usersOf } from './server-build-text.tsx'

const STATES = BUILD_STATES.map(state => [state, state] as const)

export function ServerBuildList() {
  const status = query.value.get('state') ?? undefined
  const name = query.value.get('server') ?? undefined
  const { resource, showMore } = useFirstItems<BuildRecord>('/v1/build', {
    query: { status, name },
    pageSize: 50,
    concerns: ({ type }) => type === 'reset' || type === 'build',
  })
  return (
    <>
      <Filters />
      <Loaded resource={resource} what="the builds">
        {({ items, hasMore }) =>
          items.length === 0 ? (
            <NoBuilds isFiltered={(status ?? name) !== undefined} />
          ) : (
            <>
              <Table
                caption="Builds, newest first"
                columns={COLUMNS}
                rows={items}
                keyOf={({ mcp_id }) => mcp_id}
              />
              {hasMore && <Button onClick={showMore}>Show older builds</Button>}
            </>
          )
        }
      </Loaded>
    </>
  )
}

function Filters() {
  const names = [...(servers.value?.keys() ?? [])]
  if (names.length === 0) return null
  return (
    <search class="filters">
      <QueryChoice
        name="server"
        label="Server"
        choices={[['', 'All servers'], ...names.map(name => [name, name] as const)]}
      />
      <QueryChoice name="state" label="State" choices={[['', 'All states'], ...STATES]} />
    </search>
  )
}

function NoBuilds({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? <p class="muted">No matching builds.</p> : <NoServers />
}

const COLUMNS: readonly Column<BuildRecord>[] = [
  {
    name: 'Server',
    kind: 'head',
    wide: true,
    cell: ({ mcp_id, name, created_at }) => (
      <Link to={buildPath(mcp_id)} class="row-link">
        <Text value={name} max={100} />
        {created_at !== undefined && (
          <span class="muted">
            <Time at={created_at} />
          </span>
        )}
      </Link>
    ),
  },
  {
    name: 'State',
    cell: ({ status, error }) => <State value={status} {...(error && { title: error.message })} />,
  },
  { name: 'Used by', cell: build => <Users build={build} /> },
  { name: 'Content', cell: build => surfaceText(build) },
  { name: 'Duration', kind: 'number', cell: build => durationText(build) },
  {
    name: 'Actions',
    hasNoLabel: true,
    kind: 'actions',
    wide: true,
    cell: build =>
      build.status !== 'building' && usersOf(build).length === 0 && <RemoveBuild build={build} />,
  },
]
