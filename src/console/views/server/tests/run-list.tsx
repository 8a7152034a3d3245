import type { StoreEnvironment } from '../../../../shared/contract/states.ts'
import type { SuiteRunSummary } from '../../../../shared/contract/testing/suite-runs.ts'
import { formatMs } from '../../../../shared/format/metric-format.ts'
import { request } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { Copyable } from '../../../components/copy.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { State } from '../../../components/state.tsx'
import { type Column, Table } from '../../../components/table.tsx'
import { Text } from '../../../components/text.tsx'
import { Time } from '../../../components/time.tsx'
import { concerns } from '../../../model/servers.ts'
import { Link } from '../../../router/link.tsx'
import { serverPath } from '../../paths.ts'
import type { Place } from '../playground/place.ts'
import { PassRates } from './pass-rates.tsx'
import { RerunButton } from './rerun-button.tsx'
import { formatCost, totalOf } from './run-text.ts'

/** Number of runs that the API keeps for each server. */
const MAX_RUNS = 100

export function RunList({ place }: { place: Place }) {
  const { name: server, environment } = place
  const resource = useResource(server, {
    load: signal =>
      request<{ items: SuiteRunSummary[] }>('GET', '/api/suite-runs', {
        query: { server, limit: MAX_RUNS },
        signal,
      }),
    concerns: concerns(server, ['suiteRun']),
  })
  return (
    <Loaded resource={resource} what="the test runs">
      {({ items }) =>
        items.length === 0 ? (
          <NoRuns server={server} />
        ) : (
          <>
            <div class="section-head">
              <PassRates runs={items} />
              <RerunButton run={items[0]!.id} place={place}>
                Run the newest again
              </RerunButton>
            </div>
            <Table
              caption="Runs of test suites, newest first"
              columns={runColumns(server, environment)}
              rows={items}
              keyOf={({ id }) => id}
            />
          </>
        )
      }
    </Loaded>
  )
}

function NoRuns({ server }: { server: string }) {
  return (
    <div class="empty">
      <h2>No test runs yet</h2>
      <p>A suite sends messages to an agent and checks which tools it calls. This command runs one:</p>
      <Copyable text={`mcp test ${server} --suite tests.yaml`} what="the command" />
      <p class="muted">
        The run appears here when it has finished, and can then be run again from this page.
      </p>
    </div>
  )
}

function runColumns(server: string, environment: StoreEnvironment): readonly Column<SuiteRunSummary>[] {
  return [
    {
      name: 'Run',
      kind: 'head',
      wide: true,
      cell: ({ id, suite, createdAt }) => (
        <Link to={serverPath(server, '/tests', environment, { run: id })} class="row-link">
          <Text value={suite ?? 'unnamed suite'} max={100} />
          <span class="muted">
            <Time at={createdAt} />
          </span>
        </Link>
      ),
    },
    { name: 'Result', cell: ({ status }) => <State value={status} /> },
    { name: 'Cases', kind: 'number', cell: run => `${run.passed} of ${totalOf(run)}` },
    { name: 'Models', wide: true, cell: ({ models }) => <Text value={models.join(', ')} max={200} /> },
    { name: 'Duration', kind: 'number', cell: ({ seconds }) => formatMs(seconds * 1000) },
    { name: 'Cost', kind: 'number', cell: ({ cost }) => formatCost(cost) },
    { name: 'By', cell: ({ author }) => (author === null ? '–' : <Text value={author} max={60} />) },
  ]
}
