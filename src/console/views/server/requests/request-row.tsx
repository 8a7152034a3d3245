import type { RequestRecordItem } from '../../../../shared/contract/monitoring/requests.ts'
import { formatBytes, formatMs } from '../../../../shared/format/metric-format.ts'
import { timeText } from '../../../components/log/log-text.ts'
import { State } from '../../../components/state.tsx'
import { shown } from '../../../components/text.tsx'
import { nameOf } from './request-text.ts'

/** Column headings. */
export function RequestHead() {
  return (
    <div class="row request-row">
      <span class="time">Time</span>
      <span class="state">Outcome</span>
      <span class="name">Request</span>
      <span class="who">Caller</span>
      <span class="size">Answer</span>
      <span class="duration">Duration</span>
    </div>
  )
}

export function RequestRow({ record }: { record: RequestRecordItem }) {
  const { timestamp, outcome, reason, method, tool, caller, sessionId, durationMs, responseBytes } = record
  const [seconds, fraction] = timeText(timestamp).split('.')
  return (
    <>
      <span class="time mono">
        {seconds}
        <span class="fraction">.{fraction}</span>
      </span>
      <State value={outcome} />
      <span class="name">
        <bdi class="mono">{nameOf(record)}</bdi>
        {tool !== null && <span class="muted method"> {method}</span>}
        {reason !== null && <bdi class="muted"> {shown(reason.replace(/\s+/g, ' '), 200)}</bdi>}
      </span>
      <bdi class="who">{shown(caller ?? sessionId ?? '', 60)}</bdi>
      <span class="size">{responseBytes === null ? '' : formatBytes(responseBytes)}</span>
      <span class="duration">{durationMs === null ? '–' : formatMs(durationMs)}</span>
    </>
  )
}
