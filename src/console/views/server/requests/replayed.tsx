import { useEffect, useRef } from 'preact/hooks'
import type { ReplayResult } from '../../../../shared/contract/monitoring/requests.ts'
import { formatMs } from '../../../../shared/format/metric-format.ts'
import { State, Tag } from '../../../components/state.tsx'
import { Text } from '../../../components/text.tsx'
import { JsonTree, ResultView } from '../../../schema-form/results/main.ts'
import { sameAnswer } from './same-answer.ts'

/** Result of a replay, compared with the recorded answer. */
export function Replayed({ replay, recorded }: { replay: ReplayResult; recorded: unknown }) {
  const { outcome, durationMs, environment, result, error, arguments: args } = replay
  const isSame = sameAnswer(recorded, result)
  const section = useRef<HTMLElement>(null)
  useEffect(() => section.current!.scrollIntoView({ block: 'nearest' }), [replay])
  return (
    <section ref={section} class="request-body replayed" aria-label="Result of the replay" role="status">
      <h3>
        Replay in {environment} <State value={outcome} /> <span class="muted">{formatMs(durationMs)}</span>{' '}
        {isSame !== undefined && (
          <Tag tone={isSame ? 'ok' : 'warn'}>{isSame ? 'same answer' : 'different answer'}</Tag>
        )}
      </h3>
      <JsonTree name="arguments" value={args} />
      {result === null ? (
        <p class="wrap">
          <Text value={error ?? 'No result.'} />
        </p>
      ) : (
        <ResultView result={result} label="New answer" />
      )}
    </section>
  )
}
