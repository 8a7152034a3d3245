import { setTimeout as wait } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { type Dispatcher, request } from 'undici'
import { HostingError } from '../../../shared/errors.ts'

export interface S3Settings {
  bucket: string
  /** Empty, or with a trailing `/`. */
  prefix: string
  /** Server other than AWS. Its URLs have the bucket in the path. */
  endpoint?: string | undefined
  region: string
  credentials: S3Credentials
}

export interface S3Credentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
}

export interface S3Request {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** Includes the prefix. */
  key: string
  query?: Record<string, string>
  headers?: Record<string, string>
  /** `open` is called for each attempt. */
  body?: { digest: string; sizeBytes: number; open(): NodeJS.ReadableStream | Buffer }
}

export type S3Answer = Dispatcher.ResponseData

const EMPTY_DIGEST = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const MAX_TRIES = 5
const FIRST_PAUSE_MS = 100
/** A server that sends nothing for this long counts as unreachable. */
const SILENCE_MS = 30_000

/** Signed requests to one bucket (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html). */
export class S3Client {
  readonly #settings: S3Settings
  readonly #signingKeys = new Map<string, ArrayBuffer>()

  constructor(settings: S3Settings) {
    this.#settings = settings
  }

  /** Retries after connection errors, 429 and 5xx. Throws UPSTREAM_FAILED when the last attempt cannot connect. */
  async send(input: S3Request): Promise<S3Answer> {
    for (let tries = 1; ; tries++) {
      const answer = await this.#try(input).catch(error => error as Error)
      const isLast = tries === MAX_TRIES
      if (answer instanceof Error) {
        if (isLast) throw this.#unreachable(answer)
      } else if (isLast || !isTemporary(answer.statusCode)) return answer
      else await answer.body.dump()
      await this.pause(tries)
    }
  }

  /** Waits longer before each attempt, with jitter, so that clients do not all retry at the same time. */
  async pause(tries: number): Promise<void> {
    await wait(FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2))
  }

  /** Error with the server's message. Consumes the response. */
  async failure(answer: S3Answer, what: string): Promise<HostingError> {
    const text = await answer.body.text().catch(() => '')
    const [code, message] = ['Code', 'Message'].map(name => xmlText(text, name))
    const refused = answer.statusCode === 401 || answer.statusCode === 403
    return new HostingError(
      'UPSTREAM_FAILED',
      `The object storage ${this.#host} ${refused ? 'denied access' : what}: HTTP ${answer.statusCode}.`,
      {
        details: [code, message].filter(Boolean).join(': ') || 'The storage gave no reason.',
        ...(refused && {
          next: [
            { description: "Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the daemon's environment" },
          ],
        }),
      },
    )
  }

  async #try({ method, key, query = {}, headers = {}, body }: S3Request): Promise<S3Answer> {
    const url = this.#url(key)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const { region, credentials } = this.#settings
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': body?.digest ?? EMPTY_DIGEST },
      accessKeyId: credentials.accessKeyId,
      secretAccessKey: credentials.secretAccessKey,
      ...(credentials.sessionToken && { sessionToken: credentials.sessionToken }),
      service: 's3',
      region,
      cache: this.#signingKeys,
    })
    const signed = await signer.sign()
    const { host: _host, ...sent } = Object.fromEntries(signed.headers)
    const content = body?.open()
    return request(signed.url, {
      method,
      headers: { ...sent, ...(body && { 'content-length': String(body.sizeBytes) }) },
      body: (content as Buffer | undefined) ?? null,
      headersTimeout: SILENCE_MS,
      bodyTimeout: SILENCE_MS,
    })
  }

  #url(key: string): URL {
    const { endpoint, bucket, region } = this.#settings
    const path = key.split('/').map(encodeURIComponent).join('/')
    // For the bucket itself, some servers sign the path without a trailing slash.
    if (endpoint) return new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}${path && `/${path}`}`)
    // AWS's certificates do not match the host names of buckets with dots in their names.
    if (bucket.includes('.')) return new URL(`https://s3.${region}.amazonaws.com/${bucket}/${path}`)
    return new URL(`https://${bucket}.s3.${region}.amazonaws.com/${path}`)
  }

  get #host(): string {
    return this.#url('').host
  }

  #unreachable(cause: Error): HostingError {
    return new HostingError(
      'UPSTREAM_FAILED',
      `The object storage ${this.#host} did not respond: ${cause.message}.`,
      {
        details:
          "Check MCP_STORAGE and AWS_ENDPOINT_URL in the daemon's environment, and that the storage is running.",
        cause,
      },
    )
  }
}

/** Text of the first element with this name. Handles only the XML of S3 responses. */
export function xmlText(text: string, name: string): string | undefined {
  const [, found] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(text) ?? []
  return found?.replace(/&(quot|apos|lt|gt|amp|#34|#39);/g, (_, entity: string) => ENTITIES[entity]!)
}

/** Text of all elements with this name. */
export function xmlTexts(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(`<${name}>[^<]*</${name}>`, 'g'))].map(
    ([element]) => xmlText(element, name)!,
  )
}

const ENTITIES: Record<string, string> = {
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
  amp: '&',
  '#34': '"',
  '#39': "'",
}

function isTemporary(status: number): boolean {
  return status === 429 || status >= 500
}
