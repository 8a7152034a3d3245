/** Delay before a response head is sent. Clients and proxies give up after one to five minutes (undici's `headersTimeout`). */
const DELAY_MS = 15_000

/** A request that waits for its answer. A linked list node, so that adding and removing is fast and leaves no garbage. */
export interface KeepAliveRequest {
  /** Timestamp from `performance.now`. */
  startedAt: number
  context: { openSink(): unknown }
  before?: KeepAliveRequest | undefined
  after?: KeepAliveRequest | undefined
}

// Waiting requests of the process in order of arrival. They share a timer, because a timer per request would cost more than the
// request's log line.
let oldest: KeepAliveRequest | undefined
let newest: KeepAliveRequest | undefined
let timer: NodeJS.Timeout | undefined

/** Turns the request's answer into a stream after a while, so that keep-alive comments keep the connection open. */
export function startKeepAlive(request: KeepAliveRequest): void {
  request.before = newest
  if (newest) newest.after = request
  else oldest = request
  newest = request
  timer ??= setTimeout(openStreams, DELAY_MS).unref()
}

/** Does nothing when the request is not waiting. */
export function stopKeepAlive(request: KeepAliveRequest): void {
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
  const due = performance.now() - DELAY_MS
  while (oldest && oldest.startedAt <= due) {
    const request = oldest
    stopKeepAlive(request)
    request.context.openSink()
  }
  timer = oldest && setTimeout(openStreams, oldest.startedAt - due).unref()
}
