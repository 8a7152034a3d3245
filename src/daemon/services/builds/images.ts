import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import type { UnusedItem } from '../../../shared/contract/daemon/prune.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { ArtifactStore } from '../../builder/artifact-store.ts'
import { imageArchive } from '../../builder/image/archive.ts'
import { type Base, localBase } from '../../builder/image/base.ts'
import { parseBaseReference } from '../../builder/image/base-reference.ts'
import type { Image } from '../../builder/image/image.ts'
import type { LayerEntry } from '../../builder/image/layer.ts'
import { Layout } from '../../builder/image/layout.ts'
import { type ExistingProgram, programFiles, requireCommand } from '../../builder/image/program-files.ts'
import type { pulledBase } from '../../builder/image/pulled-base.ts'
import type { RepositoryAddress } from '../../builder/image/repository-address.ts'
import { buildServerImage } from '../../builder/image/server-image.ts'
import { findUnusedImages, removeUnusedLayers } from '../../builder/image/unused-images.ts'
import type { Build } from '../../store/tables/builds.ts'

export interface ImagesOptions {
  /** Folder of the OCI layout. */
  directory: string
  /** Path of the standalone program, compressed with gzip. */
  standaloneProgram: string
  artifacts: ArtifactStore
  /** Folder of installed packages. */
  packages: string
  sourceFolder(digest: string): string
  /** Default base, in the syntax of `parseBaseReference`. Without it, this machine's own Node is used. */
  defaultBase: string | undefined
  /** Docker's `config.json` with the credentials of registries. */
  dockerConfig: string | undefined
}

export interface ImageRequest {
  /** In the syntax of `parseBaseReference`. */
  base?: string | undefined
  signal?: AbortSignal | undefined
}

export interface BuiltImage {
  image: Image
  /** `weather:<tag>` */
  name: string
  base: Base
}

/** Images of built servers, in one OCI layout. */
export class Images {
  readonly #options: ImagesOptions
  /** Layers sent to registries, so that the base shared by many servers is sent only once. */
  readonly pushed = new PushedBlobs()
  #layout: Layout | undefined
  /** Number of images that are being made or read. Their blobs must not be removed. */
  #users = 0

  constructor(options: ImagesOptions) {
    this.#options = options
  }

  get layout(): Layout {
    this.#layout ??= new Layout(this.#options.directory)
    return this.#layout
  }

  /** The image as a tar for docker, podman and skopeo, and its name. */
  async archive(build: Build, request?: ImageRequest): Promise<{ file: Readable; name: string }> {
    const { image, name } = await this.make(build, request)
    return { file: this.archiveAs(image, name), name }
  }

  archiveAs(image: Image, name: string): Readable {
    this.#users++
    const file = imageArchive(this.layout, image, name)
    file.once('close', () => this.#users--)
    return file
  }

  /** Stored images that are not in use, and blobs that belong to no image. */
  listUnused(isUsed: (name: string) => boolean): UnusedItem[] {
    if (!existsSync(join(this.#options.directory, 'index.json'))) return []
    const { images, layers } = findUnusedImages(this.layout, isUsed)
    const items = images.map(({ name, ...facts }): UnusedItem => {
      return { kind: 'image', id: name, name: name.split(':')[0]!, reason: 'unused', ...facts }
    })
    return layers
      ? [...items, { kind: 'layers', id: 'layers', name: '', reason: 'unused', ...layers }]
      : items
  }

  /** Throws CONFLICT while an image is made or read. */
  removeImage(name: string): void {
    this.#requireIdle()
    this.layout.untag(name)
    removeUnusedLayers(this.layout)
  }

  /** Throws CONFLICT while an image is made or read. */
  removeLayers(): void {
    this.#requireIdle()
    removeUnusedLayers(this.layout)
  }

  #requireIdle(): void {
    if (this.#users > 0)
      throw new HostingError('CONFLICT', 'An image is being built or downloaded. Try again later.')
  }

  /**
   * Builds the image of a ready build. The same server on the same base always gets the same name and tag. Throws
   * INVALID_MCP for a program that the base cannot run, and UPSTREAM_FAILED for a base that cannot be fetched.
   */
  async make(build: Build, request: ImageRequest = {}): Promise<BuiltImage> {
    this.#users++
    try {
      return await this.#make(build, request)
    } finally {
      this.#users--
    }
  }

  async #make({ digest, name }: Build, { base: wanted, signal }: ImageRequest): Promise<BuiltImage> {
    const { artifacts, standaloneProgram, dockerConfig, defaultBase } = this.#options
    const artifact = artifacts.load(digest!)
    if (artifact.program?.type === 'image') throw alreadyImage(name, artifact.program.image)
    const reference = parseBaseReference(wanted ?? defaultBase ?? 'local')
    const base = reference
      ? await pullBase(this.layout, reference, { dockerConfig, signal })
      : await localBase(this.layout)
    const { program } = artifact
    const files =
      program && program.type !== 'module'
        ? this.#programFiles(name, program, base)
        : { served: artifact, app: [], dependencies: [] }
    const bundle = artifacts.loadBundle(digest!)
    const app: LayerEntry[] = [
      { path: 'server.mjs', content: gunzipSync(readFileSync(standaloneProgram)) },
      { path: 'artifact.json', content: JSON.stringify({ ...artifact, ...files.served }) },
      ...(bundle === undefined ? [] : [{ path: 'handlers.mjs', content: bundle }]),
      ...files.app,
    ]
    const { version } = artifact.server
    const { dependencies } = files
    const image = await buildServerImage(this.layout, { name, version, base, app, dependencies })
    const tag = [digest!.slice(0, 12), base.origin?.digest.slice('sha256:'.length, 'sha256:'.length + 8)]
    const tagged = `${toRepositoryName(name)}:${tag.filter(Boolean).join('-')}`
    this.layout.tag(tagged, image)
    return { image, name: tagged, base }
  }

  /** Files of a program. Turns its sandbox off, because the container isolates it. */
  #programFiles(name: string, program: ExistingProgram, base: Base) {
    const { packages, sourceFolder } = this.#options
    const parts = {
      packages: program.package && join(packages, program.package.digest),
      source: program.source === undefined ? undefined : sourceFolder(program.source),
    }
    requireCommand(name, program, base, parts)
    const { isolation } = program
    const kept = typeof isolation === 'string' ? { children: isolation } : isolation
    const served = { program: { ...program, isolation: { ...kept, sandbox: 'off' as const } } }
    return { served, ...programFiles(name, program, parts) }
  }
}

/** Repository that each layer was last pushed to since the daemon started. The registry can mount the layer from there. */
class PushedBlobs {
  readonly #repositories = new Map<string, string>()

  note({ registry, repository }: RepositoryAddress, { manifest }: Image): void {
    for (const { digest } of manifest.layers) this.#repositories.set(`${registry} ${digest}`, repository)
  }

  find({ registry, repository }: RepositoryAddress, digest: string): string | undefined {
    const found = this.#repositories.get(`${registry} ${digest}`)
    return found === repository ? undefined : found
  }
}

/** Loads the registry client when it is needed. */
async function pullBase(...input: Parameters<typeof pulledBase>): Promise<Base> {
  const { pulledBase } = await import('../../builder/image/pulled-base.ts')
  return pulledBase(...input)
}

function alreadyImage(name: string, image: string): HostingError {
  return new HostingError('INVALID_MCP', `"${name}" already runs the image ${image}.`)
}

/** Registries allow lower-case letters and digits with single separators. */
function toRepositoryName(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'server'
  )
}
