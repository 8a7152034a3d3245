import type { RequestRecordItem } from '../../../shared/contract/monitoring/requests.ts'
import { formatBytes, formatMs } from '../../../shared/format/metric-format.ts'
import { formatElapsed, formatTimeOfDay } from '../../../shared/format/relative-time.ts'
import type { Output } from '../output.ts'
import type { Style } from '../style.ts'
import { onOneLine } from '../table.ts'

type Column = [header: string, cell: (request: RequestRecordItem) => string]

const COLUMNS: readonly Column[] = [
  ['AGE', ({ timestamp }) => formatElapsed(timestamp)],
  ['REQUEST', describeRequest],
  ['SESSION', ({ sessionId }) => sessionId ?? ''],
  ['USER', ({ caller }) => caller ?? ''],
  ['TIME', ({ durationMs }) => (durationMs === null ? '' : formatMs(durationMs))],
  ['IN', ({ requestBytes }) => (requestBytes === null ? '' : formatBytes(requestBytes))],
  ['OUT', ({ responseBytes }) => (responseBytes === null ? '' : formatBytes(responseBytes))],
  ['OUTCOME', outcomeText],
]

/**
 * Prints requests in the order of the list. Omits empty columns, and the server if all requests have the same server and
 * environment.
 */
export function requestTable(output: Output, requests: readonly RequestRecordItem[]): void {
  const id: Column = ['ID', ({ id }) => shortId(id, requests)]
  const isInOnePlace = new Set(requests.map(placeOf)).size === 1
  const shown = [id, ...(isInOnePlace ? [] : [['SERVER', placeOf] as Column]), ...COLUMNS].filter(
    ([, cell]) => requests.some(request => cell(request) !== ''),
  )
  output.table(
    shown.map(([header]) => header),
    requests.map(request => shown.map(([, cell]) => cell(request))),
    'No requests.',
  )
}

/** `08:00:00 weather tools/call forecast ok 3.1 ms req_1z4…` */
export function requestLine(request: RequestRecordItem, style: Style): string {
  const { timestamp, durationMs, outcome, id } = request
  const paint = outcome === 'ok' ? style.green : style.red
  return [
    style.dim(formatTimeOfDay(timestamp)),
    style.cyan(placeOf(request)),
    describeRequest(request),
    paint(outcomeText(request)),
    durationMs === null ? '' : formatMs(durationMs),
    style.dim(id),
  ]
    .filter(Boolean)
    .join(' ')
}

/** `forecast` for a tool call, otherwise the method with its resource or prompt. */
export function describeRequest({ method, tool, target }: RequestRecordItem): string {
  return onOneLine(tool ?? [method, target].filter(Boolean).join(' '))
}

/** `ok`, `error: no such city` */
export function outcomeText({ outcome, reason }: RequestRecordItem): string {
  return reason === null ? outcome : `${outcome}: ${onOneLine(reason)}`
}

/** The environment is omitted in production. */
export function placeOf({ server, environment }: RequestRecordItem): string {
  return environment === 'production' ? server : `${server}/${environment}`
}

/** Shortest unique prefix of the id in the list, with two or more of the parts that dots separate. */
export function shortId(id: string, all: readonly { id: string }[]): string {
  const parts = id.split('.')
  for (let count = 2; count < parts.length; count++) {
    const prefix = `${parts.slice(0, count).join('.')}.`
    if (all.filter(one => one.id.startsWith(prefix)).length === 1) return prefix.slice(0, -1)
  }
  return id
}
