import { errorOfAnswer } from '../../shared/api/answer-errors.ts'
import { HostingError } from '../../shared/errors.ts'

export type Query = Record<string, string | number | undefined>

export interface RequestInput {
  query?: Query
  /** Sent as JSON. A blob is sent unchanged. */
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

/**
 * Sends a request to the API that served the page and returns the data of its answer. The browser adds the session cookie. Throws
 * HostingError with the same message and next step as the command line.
 */
export async function request<T>(method: string, path: string, input: RequestInput = {}): Promise<T> {
  const response = await send(method, path, input)
  const text = await response.text()
  if (text === '') return undefined as T
  const document = JSON.parse(text)
  return path.startsWith('/v1/') ? document.data : document
}

/** Like `request`, but returns the response unread. */
export async function send(
  method: string,
  path: string,
  { query = {}, body, headers, signal }: RequestInput,
): Promise<Response> {
  const url = path + searchOf(query)
  const response = await fetchAnswer(method, url, { body, headers, signal })
  if (response.ok) return response
  throw apiError(response, await response.text(), { method, path: url })
}

/** Returns the response, whatever its status. Throws UNAVAILABLE if no response arrives. */
export async function fetchAnswer(
  method: string,
  url: string,
  { body, headers, signal }: Omit<RequestInput, 'query'>,
): Promise<Response> {
  const init = {
    method,
    headers: { ...(body !== undefined && { 'content-type': typeOf(body) }), ...headers },
    ...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
    cache: 'no-store',
    redirect: 'error',
  } as const
  return fetch(url, init).catch(cause => {
    throw signal?.aborted ? cause : unreachable(cause)
  })
}

function typeOf(body: unknown): string {
  return body instanceof Blob ? body.type : 'application/json'
}

export function apiError(
  { status, headers }: Response,
  text: string,
  sent: { method: string; path: string },
): HostingError {
  return errorOfAnswer({
    ...sent,
    status,
    text,
    headers: Object.fromEntries(headers),
    url: location.origin,
  })
}

const PAGE_SIZE = 100

interface Page<T> {
  items: T[]
  /** Lists of /v1. */
  next_cursor?: string | null
  /** Lists of /api. */
  nextToken?: string | null
}

/** Loads all items of a list. */
export async function listAll<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T[]> {
  return (await listFirst<T>(path, Infinity, { query, ...(signal && { signal }) })).items
}

/** Loads whole pages of a list until there are at least `count` items or the list ends. */
export async function listFirst<T>(
  path: string,
  count: number,
  { query, signal }: Pick<RequestInput, 'query' | 'signal'>,
): Promise<{ items: T[]; hasMore: boolean }> {
  const items: T[] = []
  const tokenName = path.startsWith('/v1/') ? 'cursor' : 'nextToken'
  let token: string | undefined
  do {
    const page: Page<T> = await request('GET', path, {
      query: { ...query, limit: Math.min(count, PAGE_SIZE), [tokenName]: token },
      ...(signal && { signal }),
    })
    items.push(...page.items)
    token = page.next_cursor ?? page.nextToken ?? undefined
  } while (token !== undefined && items.length < count)
  return { items, hasMore: token !== undefined }
}

function searchOf(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return search && `?${search}`
}

/** True if no answer arrived, in which case the API may have run the request. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof HostingError && error.code === 'UNAVAILABLE' && error.cause instanceof TypeError
}

function unreachable(cause: unknown): HostingError {
  return new HostingError('UNAVAILABLE', `${location.origin} is unreachable.`, {
    cause,
    next: [{ description: 'Start the daemon', command: 'mcp daemon start' }],
  })
}
