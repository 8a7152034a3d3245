import type { Image } from '../builder/image/image.ts'
import type { RepositoryAddress } from '../builder/image/repository-address.ts'

/** Which repository of a registry was given a layer, since the start of the daemon: others can have it from there. */
export class PushedBlobs {
  readonly #repositories = new Map<string, string>()

  note({ registry, repository }: RepositoryAddress, { manifest }: Image): void {
    for (const { digest } of manifest.layers) this.#repositories.set(`${registry} ${digest}`, repository)
  }

  find({ registry, repository }: RepositoryAddress, digest: string): string | undefined {
    const found = this.#repositories.get(`${registry} ${digest}`)
    return found === repository ? undefined : found
  }
}
