import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { HostingError } from '../../../shared/errors.ts'

/** Reference to a blob in a manifest (https://github.com/opencontainers/image-spec/blob/main/descriptor.md). */
export interface Descriptor {
  mediaType: string
  /** `sha256:` and 64 hexadecimal digits. */
  digest: string
  /** Bytes. */
  size: number
  annotations?: Record<string, string>
}

/** Content-addressed files of an OCI image layout, shared by all images. */
export class Blobs {
  readonly #directory: string

  /** `layout`: parent folder of `blobs/`. */
  constructor(layout: string) {
    this.#directory = join(layout, 'blobs', 'sha256')
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
  }

  path(digest: string): string {
    const [, hex] = /^sha256:([0-9a-f]{64})$/.exec(digest) ?? []
    if (!hex)
      throw new HostingError(
        'INVALID_REQUEST',
        `"${digest}" is not a digest: expected "sha256:" and 64 hexadecimal digits.`,
      )
    return join(this.#directory, hex)
  }

  has({ digest, size }: Descriptor): boolean {
    return statSync(this.path(digest), { throwIfNoEntry: false })?.size === size
  }

  /** Throws UNAVAILABLE when the file is missing or damaged. */
  read(digest: string): Buffer {
    const bytes = readOptional(this.path(digest))
    if (bytes && sha256(bytes) === digest) return bytes
    throw new HostingError('UNAVAILABLE', `The blob ${digest} ${bytes ? 'is damaged' : 'is missing'}.`, {
      details: 'Build the image again. The same source results in the same blobs.',
    })
  }

  /** Digests of all blobs. */
  list(): string[] {
    return readdirSync(this.#directory)
      .filter(name => /^[0-9a-f]{64}$/.test(name))
      .map(name => `sha256:${name}`)
  }

  remove(digest: string): void {
    rmSync(this.path(digest), { force: true })
  }

  stream(digest: string) {
    return createReadStream(this.path(digest))
  }

  async put(mediaType: string, bytes: Buffer): Promise<Descriptor> {
    return this.write(mediaType, [bytes])
  }

  /**
   * Writes to a temporary file and renames it to its digest when it is complete. Throws UPSTREAM_FAILED, and keeps nothing,
   * as soon as the content cannot match `expected`.
   */
  async write(
    mediaType: string,
    chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
    expected?: Descriptor,
  ): Promise<Descriptor> {
    const temporary = join(this.#directory, `${randomBytes(8).toString('hex')}.tmp`)
    const hash = createHash('sha256')
    const file = await open(temporary, 'wx', 0o600)
    try {
      let length = 0
      for await (const chunk of chunks) {
        length += chunk.length
        if (expected && length > expected.size) throw wrongBlob(expected, `more than ${expected.size} bytes`)
        hash.update(chunk)
        await file.writeFile(chunk)
      }
      await file.sync()
      const { size } = await file.stat()
      const digest = `sha256:${hash.digest('hex')}`
      if (expected && digest !== expected.digest) throw wrongBlob(expected, digest)
      renameSync(temporary, this.path(digest))
      return { mediaType, digest, size }
    } finally {
      await file.close()
      rmSync(temporary, { force: true })
    }
  }
}

function wrongBlob({ digest }: Descriptor, found: string): HostingError {
  return new HostingError(
    'UPSTREAM_FAILED',
    `The image source sent ${found} instead of the blob ${digest}.`,
    {
      details: 'The blob is damaged at its source, or was changed during the download. Nothing was kept.',
    },
  )
}

export function sha256(bytes: string | Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

function readOptional(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
