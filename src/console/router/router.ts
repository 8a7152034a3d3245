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

/** Follows the browser's back and forward buttons. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    place.value = readPlace()
  })
}

export function navigate(to: string): void {
  history.pushState(null, '', BASE + to)
  place.value = readPlace()
  scrollTo(0, 0)
}

/** Replaces the URL of the current view without a new entry in the history. */
export function correctPath(to: string): void {
  history.replaceState(null, '', BASE + to + location.search)
  place.value = readPlace()
}

/** Changes query parameters without a new entry in the history. Undefined removes one. */
export function setQuery(changes: Record<string, string | undefined>): void {
  const next = new URLSearchParams(query.peek())
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, value)
  }
  const search = next.toString()
  history.replaceState(null, '', BASE + path.peek() + (search && `?${search}`))
  place.value = readPlace()
}

/** URL for a link, so that it can be opened in a new tab. */
export function hrefOf(to: string): string {
  return BASE + to
}

function readPlace(): Place {
  const rest = location.pathname.slice(BASE.length).replace(/\/+$/, '')
  return { path: rest || '/', query: new URLSearchParams(location.search) }
}
