/** Clients and proxies give up an answer whose head does not come: after a minute, or five (undici's `headersTimeout`). */
const QUIET_MS = 15_000

/** A request without an answer. Linked, so that it is added and removed in no time and nothing keeps it afterwards. */
export interface QuietRequest {
  /** By `performance.now`. */
  startedAt: number
  context: { openSink(): unknown }
  before?: QuietRequest | undefined
  after?: QuietRequest | undefined
}

// All of the process in the order in which they came, with one timer: each its own costs more than its log line.
let oldest: QuietRequest | undefined
let newest: QuietRequest | undefined
let timer: NodeJS.Timeout | undefined

/** Makes its answer a stream after a while, whose signs of life keep the connection, unless it is removed before. */
export function addQuiet(request: QuietRequest): void {
  request.before = newest
  if (newest) newest.after = request
  else oldest = request
  newest = request
  timer ??= setTimeout(openStreams, QUIET_MS).unref()
}

/** Does nothing when it was removed already, or never added. */
export function removeQuiet(request: QuietRequest): void {
  const { before, after } = request
  if (!before && oldest !== request) return
  if (before) before.after = after
  else oldest = after
  if (after) after.before = before
  else newest = before
  request.before = undefined
  request.after = undefined
  if (oldest) return
  clearTimeout(timer)
  timer = undefined
}

function openStreams(): void {
  const due = performance.now() - QUIET_MS
  while (oldest && oldest.startedAt <= due) {
    const request = oldest
    removeQuiet(request)
    request.context.openSink()
  }
  timer = oldest && setTimeout(openStreams, oldest.startedAt - due).unref()
}
