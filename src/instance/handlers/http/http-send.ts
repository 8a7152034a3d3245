import { setTimeout as wait } from 'node:timers/promises'
import { Agent, type Dispatcher, request as undiciRequest } from 'undici'
import type { NetworkPolicy } from '../../../shared/network/network-policy.ts'
import { HandlerError } from '../handler.ts'
import type { HttpRequest } from './http-request.ts'
import { backOffMs, isRetriedFault, isRetriedStatus } from './http-retry.ts'
import { createGuardedLookup, refuseClosedHost } from './network-guard.ts'
import { type HttpResponse, readLimited } from './response-body.ts'

export interface SendOptions {
  dispatcher: Dispatcher
  policy: NetworkPolicy
  /** The caller's signal, aborted when the call is cancelled. */
  signal: AbortSignal
  /** Time limit for all attempts and redirects together. */
  timeoutMs: number
  maxResponseBytes: number
  retries: number
}

const MAX_REDIRECTS = 5
const CONNECT_TIMEOUT_MS = 10_000

let publicAgent: Agent | undefined
let anyAgent: Agent | undefined

/** Dispatcher whose connections are shared by all servers of the process with the same network access. */
export function dispatcherFor(allowPrivateNetwork: boolean): Dispatcher {
  if (allowPrivateNetwork) {
    anyAgent ??= new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS } })
    return anyAgent
  }
  publicAgent ??= createGuardedAgent()
  return publicAgent
}

/** Connects to public addresses only. `resolve` replaces the system's DNS. */
export function createGuardedAgent(resolve?: Parameters<typeof createGuardedLookup>[0]): Agent {
  return new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS, lookup: createGuardedLookup(resolve) } as object,
  })
}

/** Returns a complete response with any status. Throws a HandlerError, or the reason of `signal` when the call is cancelled. */
export async function sendHttp(request: HttpRequest, options: SendOptions): Promise<HttpResponse> {
  const timeout = AbortSignal.timeout(options.timeoutMs)
  const signal = AbortSignal.any([options.signal, timeout])
  try {
    return await sendWithRetries(request, options, signal, performance.now() + options.timeoutMs)
  } catch (error) {
    options.signal.throwIfAborted()
    if (timeout.aborted)
      throw new HandlerError(`${describeTarget(request)} did not answer within ${options.timeoutMs} ms`)
    throw toHandlerError(error, request)
  }
}

async function sendWithRetries(
  request: HttpRequest,
  options: SendOptions,
  signal: AbortSignal,
  deadline: number,
): Promise<HttpResponse> {
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= options.retries
    let pause: number
    try {
      const response = await followRedirects(request, options, signal)
      if (isLast || !isRetriedStatus(request.method, response.status)) return response
      pause = backOffMs(attempt, response.headers['retry-after'])
      // Waiting beyond the deadline would replace this response with a timeout.
      if (performance.now() + pause >= deadline) return response
    } catch (error) {
      if (isLast || signal.aborted || !isRetriedFault(request.method, error)) throw error
      pause = backOffMs(attempt)
    }
    await wait(pause, undefined, { signal })
  }
}

/** Follows redirects within one origin, because the headers are meant for that host only. */
async function followRedirects(
  first: HttpRequest,
  options: SendOptions,
  signal: AbortSignal,
): Promise<HttpResponse> {
  let request = first
  for (let followed = 0; ; followed++) {
    const response = await sendOnce(request, options, signal)
    const { location } = response.headers
    if (!isRedirect(response.status) || location === undefined) return response
    if (followed === MAX_REDIRECTS)
      throw new HandlerError(`${describeTarget(first)} redirected more than ${MAX_REDIRECTS} times`)
    request = redirectedRequest(request, response.status, location)
  }
}

async function sendOnce(
  { method, url, headers, body }: HttpRequest,
  { dispatcher, policy, maxResponseBytes }: SendOptions,
  signal: AbortSignal,
): Promise<HttpResponse> {
  refuseClosedHost(url, policy)
  const response = await undiciRequest(url, {
    dispatcher,
    method,
    headers,
    body: body ?? null,
    signal,
    // The signal limits the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return readLimited(response, maxResponseBytes)
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}

function redirectedRequest(request: HttpRequest, status: number, location: string): HttpRequest {
  const url = URL.parse(location, request.url.href)
  if (url?.origin !== request.url.origin)
    throw new HandlerError(
      `${describeTarget(request)} redirects to another host (${url?.host ?? 'not a URL'}), which is not allowed`,
    )
  const isSafe = request.method === 'GET' || request.method === 'HEAD'
  if (isSafe) return { ...request, url }
  // RFC 9110 15.4.4: a 303 redirect is followed with a GET.
  if (status === 303) return { ...request, method: 'GET', url, body: undefined }
  if (status === 307 || status === 308) return { ...request, url }
  throw new HandlerError(
    `${describeTarget(request)} redirects with status ${status}, which is followed only for GET and HEAD`,
  )
}

function toHandlerError(error: unknown, request: HttpRequest): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof HandlerError) return cause
  const { code, name } = error as NodeJS.ErrnoException
  return new HandlerError(`${describeTarget(request)} could not be reached (${code ?? name})`)
}

/** Method and host of a request, without path and query, which may contain secrets. */
export function describeTarget({ method, url }: HttpRequest): string {
  return `${method} ${url.host}`
}
