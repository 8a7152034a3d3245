import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { SuiteRunCase } from '../../../../shared/contract/testing/suite-runs.ts'
import { counted } from '../../../../shared/counted.ts'
import { formatMs } from '../../../../shared/format/metric-format.ts'
import { Button } from '../../../components/button.tsx'
import { State, Tag } from '../../../components/state.tsx'
import { shown, Text } from '../../../components/text.tsx'
import { Time } from '../../../components/time.tsx'
import { type CaseGroup, groupCases } from './run-text.ts'
import { Transcript } from './transcript.tsx'

const PAGE = 100
/** Only the first cases are open initially. More would push the rest of the list out of view. */
const OPEN = 5

type CaseRun = SuiteRunCase['runs'][number]

interface CaseListProps {
  cases: readonly SuiteRunCase[]
  /** Buttons of a case. */
  actions?(name: string): ComponentChildren
}

export function CaseList({ cases, actions }: CaseListProps) {
  const limit = useSignal(PAGE)
  const groups = groupCases(cases)
  const models = new Set(cases.map(({ model }) => model)).size
  return (
    <section class="section">
      <h2>{counted(groups.length, 'case')}</h2>
      <ul class="cases">
        {groups.slice(0, limit.value).map((group, index) => (
          <Case
            key={group.name}
            group={group}
            isOpen={group.status !== 'passed' && index < OPEN}
            hasModels={models > 1}
            actions={actions}
          />
        ))}
      </ul>
      {groups.length > limit.value && <Button onClick={() => (limit.value += PAGE)}>Show more cases</Button>}
    </section>
  )
}

interface CaseProps {
  group: CaseGroup
  /** Whether the case is open initially. */
  isOpen: boolean
  /** The suite was run with several models. */
  hasModels: boolean
  actions: CaseListProps['actions']
}

/** Runs of a closed case are not rendered. */
function Case({ group: { name, status, cases }, isOpen, hasModels, actions }: CaseProps) {
  const open = useSignal(isOpen)
  return (
    <li>
      <details open={open.value} onToggle={event => (open.value = event.currentTarget.open)}>
        <summary>
          <State value={status} />
          <span class="case-name wrap">
            <Text value={name} max={300} />
          </span>
          <span class="case-models">
            {cases
              .filter(({ runs }) => hasModels || runs.length > 1)
              .map(one => (
                <Tag key={one.model} tone={one.status === 'passed' ? 'ok' : 'failed'}>
                  {hasModels && `${shown(one.model, 60)} `}
                  {verdictOf(one)}
                </Tag>
              ))}
          </span>
        </summary>
        {open.value && actions && <div class="case-actions">{actions(name)}</div>}
        {open.value &&
          cases.map(({ model, runs }) => (
            <div key={model} class="case-runs">
              {runs.map((run, index) => (
                <Run key={index} run={run} title={titleOf(model, index, { hasModels, runs: runs.length })} />
              ))}
            </div>
          ))}
      </details>
    </li>
  )
}

/** Status of a case. `2 of 3` if 2 of 3 runs passed. */
function verdictOf({ status, runs }: SuiteRunCase): string {
  if (runs.length < 2) return status
  return `${runs.filter(run => run.status === 'passed').length} of ${runs.length}`
}

function titleOf(model: string, index: number, { hasModels, runs }: { hasModels: boolean; runs: number }) {
  return [hasModels && shown(model, 60), runs > 1 && `run ${index + 1}`].filter(Boolean).join(', ')
}

function Run({
  run: { status, failures, error, seconds, reply, replay, transcript },
  title,
}: {
  run: CaseRun
  title: string
}) {
  return (
    <article class="case-run">
      <p class="muted">
        {title && `${title}: `}
        {status} after {formatMs(seconds * 1000)}
        {replay && ', replayed'}
        {replay?.recordedAt && (
          <>
            , recorded <Time at={replay.recordedAt} />
          </>
        )}
      </p>
      {failures.length > 0 && (
        <ul class="failures">
          {failures.map((failure, index) => (
            <li key={index} class="wrap">
              <Text value={failure} />
            </li>
          ))}
        </ul>
      )}
      {error && (
        <p class="failures wrap">
          <Text value={error.message} />
        </p>
      )}
      {transcript.length > 0 ? <Transcript entries={transcript} /> : <Reply text={reply} />}
    </article>
  )
}

/** The reply of a case without a transcript. A transcript that was too long was not stored. */
function Reply({ text }: { text: string }) {
  if (text === '') return null
  return (
    <p class="wrap">
      <span class="muted">Reply: </span>
      <Text value={text} />
    </p>
  )
}
