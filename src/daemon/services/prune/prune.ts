import type {
  PruneRequest,
  PruneResult,
  UnusedItem,
  UnusedList,
} from '../../../shared/contract/daemon/prune.ts'
import { toHostingError } from '../../../shared/errors.ts'
import { KeyedQueue } from '../../../shared/keyed-queue.ts'
import type { Builds } from '../builds/builds.ts'
import type { TemporaryBuilds } from '../builds/temporary-builds.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import type { Deployments } from '../deployments/deployments.ts'
import { type CleanupDependencies, expiredFiles, removeUnknownFile } from '../serving/leftovers.ts'
import { describeBuilds, findUnusedBuilds, unusedDeployments } from './unused-records.ts'

type Dependencies = CleanupDependencies & Pick<ServiceDependencies, 'images' | 'replacedFiles'>

export interface PruneServices {
  builds: Builds
  deployments: Deployments
  temporaryBuilds: TemporaryBuilds
}

/** Removes unused items on request (docs/cleanup.md). */
export class Pruner {
  readonly #deps: Dependencies
  readonly #services: PruneServices
  readonly #queue = new KeyedQueue()

  constructor(deps: Dependencies, services: PruneServices) {
    this.#deps = deps
    this.#services = services
  }

  async list(): Promise<UnusedList> {
    return withTotal(await this.#find())
  }

  /** Removes the items that are still unused. An item that cannot be removed does not stop the others. */
  remove({ items: wanted }: PruneRequest): Promise<PruneResult> {
    return this.#queue.run('prune', async () => {
      const unused = new Map((await this.#find()).map(item => [keyOf(item), item]))
      const removed: UnusedItem[] = []
      const kept: PruneResult['kept'] = []
      for (const { kind, id } of wanted ?? [...unused.values()]) {
        const item = unused.get(keyOf({ kind, id }))
        const reason = item ? await this.#remove(item) : 'It is in use or was removed.'
        if (item && reason === undefined) removed.push(item)
        else kept.push({ kind, id, reason: reason! })
      }
      return { ...withTotal(removed), kept }
    })
  }

  async #find(): Promise<UnusedItem[]> {
    const deps = this.#deps
    const { temporaryBuilds } = this.#services
    const builds = findUnusedBuilds(deps, id => temporaryBuilds.isTested(id))
    const files = (await expiredFiles(deps)).map(
      ({ kind, name, bytes, since }): UnusedItem => ({
        kind: 'file',
        id: `${kind}/${name}`,
        name: '',
        reason: 'unknown',
        bytes,
        createdAt: since,
      }),
    )
    return [
      ...(await unusedDeployments(deps)),
      ...(await describeBuilds(deps, builds)),
      ...(await this.#images(new Set(builds.map(({ id }) => id)))),
      ...(await deps.replacedFiles.list()),
      ...files,
    ]
  }

  async #images(removedBuilds: ReadonlySet<string>): Promise<UnusedItem[]> {
    const images = await this.#deps.images()
    const { store } = this.#deps
    const inBuilds = store.builds.digestsWithout([...removedBuilds]).map(digest => digest.slice(0, 12))
    const digests = new Set(inBuilds)
    const named = new Set(store.containerBuilds.currentImages())
    return images.listUnused(name => named.has(name) || digests.has(/:([0-9a-f]{12})/.exec(name)?.[1] ?? ''))
  }

  /** Returns the reason if the item was kept. */
  async #remove(item: UnusedItem): Promise<string | undefined> {
    const { images, replacedFiles } = this.#deps
    const { builds, deployments } = this.#services
    try {
      if (item.kind === 'deployment') await deployments.remove(item.id)
      else if (item.kind === 'build') await builds.remove(item.id)
      else if (item.kind === 'image') (await images()).removeImage(item.id)
      else if (item.kind === 'layers') (await images()).removeLayers()
      else if (item.kind === 'file') await removeUnknownFile(this.#deps, item.id)
      else await replacedFiles.remove(item)
      return undefined
    } catch (error) {
      const known = toHostingError(error)
      if (known !== error) this.#deps.background.report(error)
      return known.message
    }
  }
}

function withTotal(items: UnusedItem[]): UnusedList {
  return { items, bytes: items.reduce((sum, { bytes }) => sum + bytes, 0) }
}

function keyOf({ kind, id }: Pick<UnusedItem, 'id' | 'kind'>): string {
  return `${kind} ${id}`
}
