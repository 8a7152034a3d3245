import type { IncomingMessage } from 'node:http'
import {
  errorOfAnswer,
  errorOfConnection,
  type FailedAnswer,
  timedOut,
} from '../../shared/api/answer-errors.ts'
import { readEvents } from '../../shared/api/event-stream.ts'
import { HostingError } from '../../shared/errors.ts'
import { VERSION } from '../../shared/version.ts'
import { openTransport, readText } from './transport.ts'

export interface ApiClientOptions {
  /** Without a trailing slash. */
  url: string
  apiKey: string | undefined
  timeoutMs: number
  signal?: AbortSignal
  trace?(text: string): void
}

export interface RequestInput {
  body?: unknown
  /** Undefined values are omitted. */
  query?: Record<string, string | number | undefined>
  headers?: Record<string, string>
  /** File that is streamed as the body, instead of `body`. */
  upload?: Upload
  /** Overrides the client's timeout. Infinity, the default of a stream, disables it. */
  timeoutMs?: number
  /** Sends the request even after Ctrl-C, to clean up. */
  ignoresInterrupt?: boolean
  /** Aborts this request only. */
  signal?: AbortSignal | undefined
  /**
   * `stream` only: `onStream` is called when the response is an event stream, and `onEventId` before each event that has an
   * id.
   */
  onStream?(): void
  onEventId?(id: string): void
}

export interface Upload {
  file: string
  bytes: number
  contentType: string
  /** Called with the number of bytes sent so far. */
  onProgress?(sent: number): void
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Client of the local daemon or a hosted API. Any 2xx status is a success. Unknown fields are ignored. Failures are
 * HostingErrors: the API's own code and message, UNAVAILABLE when the API is unreachable, TIMEOUT when it is too slow, CANCELLED
 * after Ctrl-C, or UPSTREAM_FAILED for a response that is not JSON.
 */
export interface ApiClient {
  readonly url: string
  /** True once the API has rejected an extension of the contract, such as a list. */
  readonly isContractOnly: boolean
  /** `data` of an envelope, or the body itself. Undefined for an empty body. */
  request<T>(method: Method, path: string, input?: RequestInput): Promise<T>
  get<T>(path: string, query?: RequestInput['query']): Promise<T>
  post<T>(path: string, body?: unknown, headers?: RequestInput['headers']): Promise<T>
  delete<T>(path: string): Promise<T>
  /** The `data` of each server-sent event, parsed as JSON. Throws when `signal` aborts. */
  events<T>(path: string, query?: RequestInput['query'], signal?: AbortSignal): AsyncIterable<T>
  /** Like `events`, for any request. If the API does not stream, its response is the only event. */
  stream<T>(method: Method, path: string, input: RequestInput): AsyncIterable<T>
  /** Writes the response to a file, which appears once it is complete. Returns its size in bytes. */
  download(path: string, file: string): Promise<number>
  close(): void
}

export function createApiClient(options: ApiClientOptions): ApiClient {
  const base = new URL(options.url)
  const { request, agent } = openTransport(base)
  let isContractOnly = false

  function refusal(answer: Omit<FailedAnswer, 'url' | 'isContractOnly'>): HostingError {
    const error = errorOfAnswer({ ...answer, url: options.url, isContractOnly })
    isContractOnly ||= error.code === 'METHOD_NOT_ALLOWED'
    return error
  }

  async function send(method: Method, path: string, input: RequestInput): Promise<IncomingMessage> {
    const url = new URL(base.pathname.replace(/\/$/, '') + path, base)
    for (const [name, value] of Object.entries(input.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const body = input.body === undefined ? undefined : JSON.stringify(input.body)
    const { upload } = input
    const headers = { ...defaultHeaders(options.apiKey, body), ...uploadHeaders(upload), ...input.headers }
    // An upload may take a long time, so it only times out when it stalls.
    const owner = input.ignoresInterrupt ? { timeoutMs: options.timeoutMs } : options
    const signal = signalFor(owner, upload ? Infinity : input.timeoutMs, input.signal)
    options.trace?.(`> ${method} ${url.href}`)
    try {
      return await new Promise<IncomingMessage>((resolve, reject) => {
        const outgoing = request(url, { method, headers, agent, signal }, resolve)
        outgoing.on('error', reject)
        if (!upload) return void outgoing.end(body)
        const abortStalled = () => outgoing.destroy(new DOMException('the upload stalled', 'TimeoutError'))
        outgoing.setTimeout(options.timeoutMs, abortStalled)
        void import('./transfer-file.ts').then(({ sendFile }) => sendFile(upload, outgoing), reject)
      })
    } catch (error) {
      throw failure(error, method, url)
    }
  }

  function failure(error: unknown, method: string, url: URL): HostingError {
    if (options.signal?.aborted) return new HostingError('CANCELLED', 'Interrupted.', { cause: error })
    if (isTimeOut(error)) return timedOut(method, url, error)
    return errorOfConnection(options.url, error)
  }

  async function readBody(incoming: IncomingMessage, method: Method, path: string): Promise<string> {
    return readText(incoming).catch(error => {
      throw failure(error, method, new URL(path, base))
    })
  }

  async function exchange<T>(method: Method, path: string, input: RequestInput = {}): Promise<T> {
    const startedAt = Date.now()
    const incoming = await send(method, path, input)
    const text = await readBody(incoming, method, path)
    const status = incoming.statusCode!
    options.trace?.(`< ${status} ${Date.now() - startedAt} ms ${requestIdOf(incoming)}`)
    if (status < 200 || status > 299) throw refusal({ status, text, headers: incoming.headers, method, path })
    return parseData<T>(text, options.url)
  }

  async function* stream<T>(method: Method, path: string, input: RequestInput): AsyncGenerator<T> {
    const headers = { accept: 'text/event-stream, application/json', ...input.headers }
    const incoming = await send(method, path, { timeoutMs: Infinity, ...input, headers })
    const status = incoming.statusCode!
    const isStream = incoming.headers['content-type']?.startsWith('text/event-stream')
    const isRefused = status < 200 || status > 299
    const text = isStream && !isRefused ? '' : await readBody(incoming, method, path)
    if (isRefused) throw refusal({ status, text, headers: incoming.headers, method, path })
    if (isStream) input.onStream?.()
    try {
      if (isStream) yield* readEvents<T>(incoming, input.onEventId)
      else yield parseData<T>(text, options.url)
    } catch (error) {
      throw error instanceof HostingError ? error : failure(error, method, new URL(path, base))
    } finally {
      incoming.destroy()
    }
  }

  async function download(path: string, file: string): Promise<number> {
    const incoming = await send('GET', path, { timeoutMs: Infinity, headers: { accept: '*/*' } })
    const status = incoming.statusCode!
    if (status !== 200) {
      const text = await readBody(incoming, 'GET', path)
      throw refusal({ status, text, headers: incoming.headers, method: 'GET', path })
    }
    const { receiveFile } = await import('./transfer-file.ts')
    return receiveFile(incoming, file)
  }

  return {
    url: options.url,
    get isContractOnly() {
      return isContractOnly
    },
    stream,
    download,
    request: exchange,
    get: (path, query) => exchange('GET', path, { query }),
    post: (path, body = {}, headers) => exchange('POST', path, { body, headers }),
    delete: path => exchange('DELETE', path),
    events: (path, query, signal) => stream('GET', path, { query, signal }),
    close: () => agent?.destroy(),
  }
}

function defaultHeaders(apiKey: string | undefined, body: string | undefined): Record<string, string> {
  return {
    accept: 'application/json',
    'user-agent': `mcp-hosting/${VERSION}`,
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  }
}

function uploadHeaders(upload: Upload | undefined): Record<string, string> {
  if (!upload) return {}
  return { 'content-type': upload.contentType, 'content-length': String(upload.bytes) }
}

function signalFor(
  options: Pick<ApiClientOptions, 'signal' | 'timeoutMs'>,
  timeoutMs = options.timeoutMs,
  own?: AbortSignal,
): AbortSignal | undefined {
  const signals = [options.signal, own].filter(signal => signal !== undefined)
  if (Number.isFinite(timeoutMs)) signals.push(AbortSignal.timeout(timeoutMs))
  return signals.length > 1 ? AbortSignal.any(signals) : signals[0]
}

function isTimeOut(error: unknown): boolean {
  const { name, cause } = error as { name?: string; cause?: { name?: string } }
  return name === 'TimeoutError' || cause?.name === 'TimeoutError'
}

function parseData<T>(text: string, url: string): T {
  if (text === '') return undefined as T
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (error) {
    throw new HostingError(
      'UPSTREAM_FAILED',
      `${url} did not respond with JSON. Is this the URL of the API?`,
      {
        details: text.slice(0, 200),
        cause: error,
      },
    )
  }
  const envelope = body as { success?: unknown; data?: unknown } | null
  return (typeof envelope?.success === 'boolean' && 'data' in envelope ? envelope.data : body) as T
}

function requestIdOf(incoming: IncomingMessage): string {
  return String(incoming.headers['x-request-id'] ?? '')
}
