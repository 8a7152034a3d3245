import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../../../shared/atomic-file.ts'
import { Blobs, type Descriptor } from './blobs.ts'
import type { Image, Manifest } from './image.ts'

const REF_NAME = 'org.opencontainers.image.ref.name'
const INDEX = 'application/vnd.oci.image.index.v1+json'

/** OCI image layout with all images (https://github.com/opencontainers/image-spec/blob/main/image-layout.md). */
export class Layout {
  readonly directory: string
  readonly blobs: Blobs

  constructor(directory: string) {
    this.directory = directory
    this.blobs = new Blobs(directory)
    const marker = join(directory, 'oci-layout')
    if (!existsSync(marker)) writeFileAtomic(marker, '{"imageLayoutVersion":"1.0.0"}')
  }

  /** Moves the name to this image. */
  tag(name: string, { descriptor }: Image): void {
    const others = this.#list().filter(({ annotations }) => annotations?.[REF_NAME] !== name)
    this.#save([...others, { ...descriptor, annotations: { [REF_NAME]: name } }])
  }

  untag(name: string): void {
    this.#save(this.#list().filter(({ annotations }) => annotations?.[REF_NAME] !== name))
  }

  names(): string[] {
    return this.#list().flatMap(({ annotations }) => annotations?.[REF_NAME] ?? [])
  }

  /** Undefined for an unknown name. Throws UNAVAILABLE when the manifest is missing or damaged. */
  find(name: string): Image | undefined {
    const entry = this.#list().find(({ annotations }) => annotations?.[REF_NAME] === name)
    if (!entry) return undefined
    const { annotations: _name, ...descriptor } = entry
    return { descriptor, manifest: JSON.parse(this.blobs.read(descriptor.digest).toString()) as Manifest }
  }

  #list(): Descriptor[] {
    const path = join(this.directory, 'index.json')
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).manifests : []
  }

  #save(manifests: Descriptor[]): void {
    const index = { schemaVersion: 2, mediaType: INDEX, manifests }
    writeFileAtomic(join(this.directory, 'index.json'), JSON.stringify(index))
  }
}
