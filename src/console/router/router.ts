import { computed, signal } from '@preact/signals'

const BASE = '/console'

/** URL of the page below `/console`. */
interface Place {
  path: string
  query: URLSearchParams
}

const place = signal(readPlace())

export const path = computed(() => place.value.path)
export const query = computed(() => place.value.query)

/**
 * Safari refuses more than 100 changes to the URL in 10 s, and Chromium ignores more than 200 in 30 s. A held arrow key causes 30
 * a second.
 */
const WRITE_INTERVAL_MS = 200
/** Allowance for a burst: 30 changes may be written immediately. */
const WRITE_BURST_MS = 30 * WRITE_INTERVAL_MS

/** Time until which earlier writes have used up the allowance. */
let usedUntilMs = -Infinity
let writeTimer: number | undefined

/** Follows the browser's back and forward buttons. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    cancelWrite()
    place.value = readPlace()
  })
}

export function navigate(to: string): void {
  finishWrite()
  history.pushState(null, '', BASE + to)
  place.value = readPlace()
  scrollTo(0, 0)
}

/** Replaces the path of the current view without a new entry in the history. Keeps the query. */
export function correctPath(to: string): void {
  finishWrite()
  history.replaceState(null, '', BASE + to + location.search)
  place.value = readPlace()
}

/** New values of query parameters. Undefined removes a parameter. */
export type QueryChanges = Record<string, string | undefined>

/** Changes query parameters without a new entry in the history. */
export function setQuery(changes: QueryChanges): void {
  place.value = changedPlace(changes)
  if (writeTimer !== undefined) return
  const nowMs = performance.now()
  usedUntilMs = Math.max(usedUntilMs, nowMs - WRITE_BURST_MS) + WRITE_INTERVAL_MS
  if (usedUntilMs <= nowMs) write()
  else writeTimer = window.setTimeout(write, usedUntilMs - nowMs)
}

/** Opens a part of the view, such as a dialog or the details of a row. The back button closes it again. */
export function openInQuery(name: string, value: string): void {
  if (query.peek().has(name)) return setQuery({ [name]: value })
  finishWrite()
  place.value = changedPlace({ [name]: value })
  history.pushState(null, '', urlOf(place.peek()))
}

/** URL for a link, so that it can be opened in a new tab. */
export function hrefOf(to: string): string {
  return BASE + to
}

function changedPlace(changes: QueryChanges): Place {
  const next = new URLSearchParams(query.peek())
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, value)
  }
  return { path: path.peek(), query: next }
}

function write(): void {
  cancelWrite()
  history.replaceState(null, '', urlOf(place.peek()))
}

function cancelWrite(): void {
  clearTimeout(writeTimer)
  writeTimer = undefined
}

function finishWrite(): void {
  if (writeTimer !== undefined) write()
}

function urlOf({ path, query }: Place): string {
  const search = query.toString()
  return BASE + path + (search && `?${search}`)
}

function readPlace(): Place {
  const rest = location.pathname.slice(BASE.length).replace(/\/+$/, '')
  return { path: rest || '/', query: new URLSearchParams(location.search) }
}
