import { type Dispatcher, request } from 'undici'
import { HostingError, type NextStep } from '../../../shared/errors.ts'
import { basicAuthorization, type Challenge, type Credentials, parseChallenge } from './registry-auth.ts'
import { apiHost, type RepositoryAddress } from './repository-address.ts'

export interface RegistryRequest {
  method: Dispatcher.HttpMethod
  /** Path below `/v2/<repository>/`, or a complete URL from a `Location` header. */
  path: string
  headers?: Record<string, string>
  /** Creates the body for each attempt. */
  body?(): Buffer | NodeJS.ReadableStream
}

export type RegistryAnswer = Dispatcher.ResponseData

/** A registry that sends nothing for this long counts as unreachable. */
const SILENCE_MS = 60_000
const MAX_TOKEN_BYTES = 100_000
const MAX_REASON_BYTES = 2000

/** Repository of a registry (https://github.com/opencontainers/distribution-spec/blob/main/spec.md). */
export class Registry {
  readonly address: RepositoryAddress
  readonly #origin: string
  readonly #credentials: Credentials | undefined
  readonly #signal: AbortSignal | undefined
  #authorization: string | undefined

  constructor(
    address: RepositoryAddress,
    options: { credentials?: Credentials | undefined; signal?: AbortSignal | undefined },
  ) {
    this.address = address
    this.#origin = `${isLoopback(address.registry) ? 'http' : 'https'}://${apiHost(address.registry)}`
    this.#credentials = options.credentials
    this.#signal = options.signal
  }

  /** Signs in when required. Throws UPSTREAM_FAILED when the registry cannot be reached or the sign-in fails. */
  async send(input: RegistryRequest): Promise<RegistryAnswer> {
    const answer = await this.#try(input)
    if (answer.statusCode !== 401) return answer
    await answer.body.dump()
    const challenge = parseChallenge(headerOf(answer, 'www-authenticate'))
    this.#authorization = challenge && (await this.#authorize(challenge))
    const second = this.#authorization ? await this.#try(input) : answer
    if (second.statusCode === 401 || second.statusCode === 403)
      throw await this.failure(second, 'denied access')
    return second
  }

  /** Error with the registry's message. Consumes the response. */
  async failure(answer: RegistryAnswer, what: string): Promise<HostingError> {
    const body = answer.body.bodyUsed ? '' : await readStart(answer.body)
    return new HostingError(
      'UPSTREAM_FAILED',
      `The registry ${this.address.registry} ${what}: HTTP ${answer.statusCode}.`,
      {
        details: body.slice(0, 500) || this.#missingCredentials(answer) || 'The registry gave no reason.',
        next: nextSteps(answer.statusCode, this.address.registry),
      },
    )
  }

  #missingCredentials({ statusCode }: RegistryAnswer): string | undefined {
    if (statusCode !== 401 || this.#credentials) return undefined
    return `This machine has no credentials for this registry. Run docker login ${this.address.registry}`
  }

  /** Throws UPSTREAM_FAILED when a URL from the registry is not a web URL. */
  url(path: string): URL {
    const url = URL.parse(path, `${this.#origin}/v2/${this.address.repository}/`)
    if (url && /^https?:$/.test(url.protocol)) return url
    throw new HostingError(
      'UPSTREAM_FAILED',
      `The registry ${this.address.registry} refers to "${path.slice(0, 200)}", which is not a web URL.`,
    )
  }

  /** Body of a response. Throws UPSTREAM_FAILED when it is cut off. */
  async *content({ body }: RegistryAnswer): AsyncGenerator<Buffer> {
    try {
      yield* body as AsyncIterable<Buffer>
    } catch (error) {
      throw this.#unreachable(error as Error)
    }
  }

  /** Body of a response. Throws UPSTREAM_FAILED when it exceeds the limit. */
  async read(answer: RegistryAnswer, limitBytes: number): Promise<Buffer> {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of this.content(answer)) {
      size += chunk.length
      if (size > limitBytes)
        throw new HostingError(
          'UPSTREAM_FAILED',
          `The registry ${this.address.registry} sent more than ${limitBytes} bytes.`,
        )
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }

  async #try({ method, path, headers, body }: RegistryRequest): Promise<RegistryAnswer> {
    const url = this.url(path)
    // Registries redirect to storage at other origins, which must not receive our credentials.
    const own =
      url.origin === this.#origin && this.#authorization ? { authorization: this.#authorization } : {}
    try {
      return await request(url, {
        method,
        headers: { ...headers, ...own },
        body: body?.() as Buffer,
        signal: this.#signal,
        headersTimeout: SILENCE_MS,
        bodyTimeout: SILENCE_MS,
      })
    } catch (error) {
      throw this.#unreachable(error as Error)
    }
  }

  #unreachable(cause: Error): HostingError {
    this.#signal?.throwIfAborted()
    return new HostingError(
      'UPSTREAM_FAILED',
      `The registry ${this.address.registry} did not respond: ${cause.message}.`,
      { cause },
    )
  }

  async #authorize(challenge: Challenge): Promise<string | undefined> {
    const basic = this.#credentials && basicAuthorization(this.#credentials)
    if (challenge.scheme === 'basic') return basic
    const url = this.#tokenUrl(challenge.realm)
    if (challenge.service) url.searchParams.set('service', challenge.service)
    if (challenge.scope) url.searchParams.set('scope', challenge.scope)
    const answer = await request(url, {
      headers: basic ? { authorization: basic } : {},
      signal: this.#signal,
      headersTimeout: SILENCE_MS,
      bodyTimeout: SILENCE_MS,
    }).catch(error => {
      throw this.#unreachable(error)
    })
    if (answer.statusCode !== 200) throw await this.failure(answer, 'did not issue a token')
    const given = parseToken(await this.read(answer, MAX_TOKEN_BYTES))
    if (given) return `Bearer ${given}`
    throw new HostingError(
      'UPSTREAM_FAILED',
      `${url.host} did not issue a token for the registry ${this.address.registry}.`,
    )
  }

  /** Credentials are only sent over https, or to this machine. */
  #tokenUrl(realm: string): URL {
    const url = this.url(realm)
    if (url.protocol === 'https:' || isLoopback(url.host)) return url
    throw new HostingError(
      'UPSTREAM_FAILED',
      `The registry ${this.address.registry} requires sign-in at ${url.origin}, which is not encrypted.`,
    )
  }
}

/** Some registries answer 404 when access is denied, to hide private repositories. */
function nextSteps(statusCode: number, registry: string): NextStep[] {
  const command = `docker login ${registry}`
  if (statusCode === 401 || statusCode === 403) return [{ description: 'Sign in', command }]
  if (statusCode === 404)
    return [
      { description: 'Check the name of the image' },
      { description: 'If it is private, sign in', command },
    ]
  return statusCode === 429 || statusCode >= 500 ? [{ description: 'Try again later' }] : []
}

export function headerOf(answer: RegistryAnswer, name: string): string | undefined {
  const value = answer.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Start of the registry's message. */
async function readStart(body: RegistryAnswer['body']): Promise<string> {
  let text = ''
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      text += chunk
      if (text.length > MAX_REASON_BYTES) break
    }
  } catch {
    // the status is enough
  }
  return text
}

function parseToken(bytes: Buffer): string | undefined {
  try {
    const { token, access_token } = JSON.parse(bytes.toString())
    return [token, access_token].find(one => typeof one === 'string' && one !== '')
  } catch {
    return undefined // not JSON
  }
}

/** Registries on this machine use plain HTTP, as with Docker. */
function isLoopback(registry: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+)(?::\d+)?$/.test(registry)
}
