import type { Readable } from 'node:stream'
import { HostingError } from '../../shared/errors.ts'
import type { ArtifactStore } from '../builder/artifact-store.ts'
import { imageArchive } from '../builder/image/archive.ts'
import type { Image } from '../builder/image/image.ts'
import type { LayerEntry } from '../builder/image/layer.ts'
import { Layout } from '../builder/image/layout.ts'
import { buildServerImage } from '../builder/image/server-image.ts'
import type { Build } from '../store/builds.ts'

export interface ImagesOptions {
  /** Folder of the OCI layout. */
  directory: string
  /** The program that serves an artifact by itself. */
  standaloneProgram: string
  artifacts: ArtifactStore
}

/** Images of built servers, in one OCI layout. */
export class Images {
  readonly #options: ImagesOptions
  #layout: Layout | undefined

  constructor(options: ImagesOptions) {
    this.#options = options
  }

  get layout(): Layout {
    this.#layout ??= new Layout(this.#options.directory)
    return this.#layout
  }

  /** The image as a tar that docker, podman and skopeo load, and its name. */
  async archive(build: Build): Promise<{ file: Readable; name: string }> {
    const { image, name } = await this.make(build)
    return { file: imageArchive(this.layout, image, name), name }
  }

  archiveAs(image: Image, name: string): Readable {
    return imageArchive(this.layout, image, name)
  }

  /** The image of a ready build, and its name with a tag that the same server always gets. */
  async make({ digest, name }: Build): Promise<{ image: Image; name: string }> {
    const { artifacts, standaloneProgram } = this.#options
    const artifact = artifacts.load(digest!)
    if (artifact.program && artifact.program.type !== 'module')
      throw new HostingError(
        'INVALID_MCP',
        `"${name}" is a program of its own; an image is made of declared servers and handler modules.`,
      )
    const bundle = artifacts.loadBundle(digest!)
    const app: LayerEntry[] = [
      { path: 'server.mjs', file: standaloneProgram },
      { path: 'artifact.json', content: JSON.stringify(artifact) },
      ...(bundle === undefined ? [] : [{ path: 'handlers.mjs', content: bundle }]),
    ]
    const { version } = artifact.server
    const image = await buildServerImage(this.layout, { name, version, app })
    const tagged = `${toRepositoryName(name)}:${digest!.slice(0, 12)}`
    this.layout.tag(tagged, image)
    return { image, name: tagged }
  }
}

/** Registries take lower-case letters and digits with single separators between them. */
function toRepositoryName(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'server'
  )
}
