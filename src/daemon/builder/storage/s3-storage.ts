import { createReadStream } from 'node:fs'
import { HostingError } from '../../../shared/errors.ts'
import { checkDigest, type ObjectStorage, type StoredContent } from './object-storage.ts'
import { S3Client, type S3Settings, xmlText, xmlTexts } from './s3-client.ts'
import { uploadInParts } from './s3-multipart.ts'

/** Objects of at least this size are sent in parts, so that a failure does not repeat the whole upload. */
const PARTS_FROM_BYTES = 16 * 1024 * 1024
/** Maximum number of consecutive attempts to resume a download without receiving a byte. */
const MAX_STALLS = 4

/** Objects in an S3 bucket. */
export class S3Storage implements ObjectStorage {
  readonly #client: S3Client
  readonly #bucket: string
  readonly #prefix: string

  constructor(settings: S3Settings) {
    this.#client = new S3Client(settings)
    this.#bucket = settings.bucket
    this.#prefix = settings.prefix
  }

  locate(key: string): string {
    return `s3://${this.#bucket}/${this.#prefix}${key}`
  }

  /** Undefined outside the bucket and prefix, so that clients cannot use the daemon's credentials elsewhere. */
  keyOf(location: string): string | undefined {
    const start = `s3://${this.#bucket}/${this.#prefix}`
    const key = location.startsWith(start) ? location.slice(start.length) : ''
    return key === '' || key.split('/').some(part => part === '' || part === '.' || part === '..')
      ? undefined
      : key
  }

  async put(key: string, file: string, content: StoredContent): Promise<void> {
    const name = this.#prefix + key
    if (content.sizeBytes >= PARTS_FROM_BYTES)
      return uploadInParts(this.#client, name, { file, sizeBytes: content.sizeBytes })
    const answer = await this.#client.send({
      method: 'PUT',
      key: name,
      body: { digest: content.digest, sizeBytes: content.sizeBytes, open: () => createReadStream(file) },
    })
    if (answer.statusCode !== 200) throw await this.#client.failure(answer, `rejected ${key}`)
    await answer.body.dump()
  }

  async read(key: string, digest: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const first = await this.#get(key, {})
    return first && checkDigest(this.#resuming(key, first), digest, this.locate(key))
  }

  async remove(key: string): Promise<void> {
    const answer = await this.#client.send({ method: 'DELETE', key: this.#prefix + key })
    if (![200, 204, 404].includes(answer.statusCode))
      throw await this.#client.failure(answer, `did not remove ${key}`)
    await answer.body.dump()
  }

  /** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html */
  async list(prefix: string): Promise<string[]> {
    const keys: string[] = []
    let token: string | undefined
    do {
      const answer = await this.#client.send({
        method: 'GET',
        key: '',
        query: {
          'list-type': '2',
          prefix: this.#prefix + prefix,
          ...(token && { 'continuation-token': token }),
        },
      })
      if (answer.statusCode !== 200) throw await this.#client.failure(answer, 'did not list its objects')
      const text = await answer.body.text()
      keys.push(...xmlTexts(text, 'Key').map(key => key.slice(this.#prefix.length)))
      token = xmlText(text, 'IsTruncated') === 'true' ? xmlText(text, 'NextContinuationToken') : undefined
    } while (token)
    return keys.sort()
  }

  /** Resumes after a broken connection, as long as the object is the same. */
  async *#resuming(key: string, first: Download): AsyncGenerator<Uint8Array> {
    let download: Download | undefined = first
    let offset = 0
    let stalls = 0
    while (download) {
      try {
        for await (const chunk of download.body) {
          offset += chunk.length
          stalls = 0
          yield chunk
        }
        return
      } catch (error) {
        if (++stalls > MAX_STALLS) throw this.#interrupted(key, error)
        await this.#client.pause(stalls)
      }
      const headers: Record<string, string> = {
        range: `bytes=${offset}-`,
        ...(first.etag && { 'if-match': first.etag }),
      }
      download = await this.#get(key, headers)
    }
    throw this.#interrupted(key, new Error('the object was removed'))
  }

  async #get(key: string, headers: Record<string, string>): Promise<Download | undefined> {
    const answer = await this.#client.send({ method: 'GET', key: this.#prefix + key, headers })
    const isPart = headers.range !== undefined
    if (answer.statusCode === (isPart ? 206 : 200))
      return { body: answer.body, etag: String(answer.headers.etag ?? '') }
    const failure = await this.#client.failure(answer, `did not return ${key}`)
    if (answer.statusCode === 404 && !/NoSuchBucket/.test(failure.details ?? '')) return undefined
    throw failure
  }

  #interrupted(key: string, cause: unknown): HostingError {
    return new HostingError(
      'UPSTREAM_FAILED',
      `The download of ${this.locate(key)} was interrupted: ${(cause as Error).message}.`,
      { details: 'Nothing was kept. Try again.', cause },
    )
  }
}

interface Download {
  body: AsyncIterable<Uint8Array>
  etag: string
}
