import { useSignal } from '@preact/signals'
import type { SuiteRunRecord } from '../../../../shared/contract/testing/suite-runs.ts'
import type { Suite } from '../../../../shared/definitions/test-suite.ts'
import { formatMs, formatPercent } from '../../../../shared/format/metric-format.ts'
import { request } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Figure } from '../../../components/figures/figure.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { notify } from '../../../components/notices.tsx'
import { saveFile } from '../../../components/save-file.ts'
import { State } from '../../../components/state.tsx'
import { Text } from '../../../components/text.tsx'
import { Time } from '../../../components/time.tsx'
import { Link } from '../../../router/link.tsx'
import { navigate } from '../../../router/router.ts'
import { serverPath } from '../../paths.ts'
import type { Place } from '../playground/place.ts'
import { CaseList } from './case-list.tsx'
import { RerunButton } from './rerun-button.tsx'
import { formatCost, totalOf } from './run-text.ts'

interface RunViewProps {
  id: string
  place: Place
}

/** A run of a suite with its cases. Cases that did not pass come first. */
export function RunView({ id, place }: RunViewProps) {
  const path = `/api/suite-runs/${encodeURIComponent(id)}`
  const list = serverPath(place.name, '/tests', place.environment)
  const isRemoving = useSignal(false)
  const resource = useResource(id, {
    load: signal => request<SuiteRunRecord>('GET', path, { signal }),
    concerns: change => change.type === 'reset' || (change.type === 'suiteRun' && change.id === id),
  })
  const remove = async () => {
    await request('DELETE', path)
    notify('Removed the run.')
    navigate(list)
  }
  return (
    <>
      <div class="section-head">
        <Link to={list}>All runs</Link>
        {resource.value && (
          <div class="run-actions">
            <RerunButton run={id} place={place}>
              Run again
            </RerunButton>
            {resource.value.definition && <SaveButton suite={resource.value.definition} />}
            <Button icon="remove" onClick={() => (isRemoving.value = true)}>
              Remove
            </Button>
          </div>
        )}
      </div>
      <Loaded resource={resource} what="the test run">
        {run => (
          <>
            <Summary run={run} />
            <CaseList
              cases={run.cases}
              actions={name => (
                <RerunButton run={id} caseName={name} place={place}>
                  Run this case
                </RerunButton>
              )}
            />
          </>
        )}
      </Loaded>
      {isRemoving.value && (
        <Dialog
          title="Remove this run?"
          confirm="Remove"
          danger
          onConfirm={remove}
          onClose={() => (isRemoving.value = false)}
        >
          <p>Its verdicts and transcripts are permanently removed.</p>
        </Dialog>
      )}
    </>
  )
}

/** A suite in JSON, which `mcp test --suite` reads. */
function SaveButton({ suite }: { suite: Suite }) {
  const save = () =>
    saveFile('suite.json', new Blob([JSON.stringify(suite, null, 2)], { type: 'application/json' }))
  return (
    <Button icon="down" onClick={save}>
      Save the suite
    </Button>
  )
}

function Summary({ run }: { run: SuiteRunRecord }) {
  const { suite, status, passed, successRate, threshold, seconds, totalTokens, cost, author, createdAt } = run
  return (
    <>
      <div class="run-head">
        <h2 class="wrap">
          <Text value={suite ?? 'unnamed suite'} max={200} />
        </h2>
        <State value={status} />
        <span class="muted">
          <Time at={createdAt} />
          {author !== null && (
            <>
              {' by '}
              <Text value={author} max={60} />
            </>
          )}
        </span>
      </div>
      <dl class="figures">
        <Figure name="Passed" value={`${passed} of ${totalOf(run)}`} />
        <Figure name="Pass rate" value={formatPercent(successRate)} />
        <Figure name="Required" value={formatPercent(threshold)} />
        <Figure name="Duration" value={formatMs(seconds * 1000)} />
        <Figure name="Tokens" value={totalTokens.toLocaleString('en')} />
        <Figure name="Cost" value={formatCost(cost)} />
      </dl>
    </>
  )
}
