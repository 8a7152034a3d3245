import type { Build } from '../../store/tables/builds.ts'
import type { TemporaryBuilds } from '../builds/temporary-builds.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { type PreviewDependencies, previewWorkload } from '../serving/workloads.ts'
import { mcpUrl } from './addresses.ts'

type Dependencies = PreviewDependencies & Pick<ServiceDependencies, 'gateway' | 'supervisor'>

interface OpenAddress {
  /** Id in the runtime. */
  id: string
  /** Number of running tests. */
  users: number
  url: Promise<string>
}

/** Addresses for tests of builds. The build that the preview serves uses its address. Others use a temporary address. */
export class TestAddresses {
  readonly #deps: Dependencies
  readonly #temporaryBuilds: TemporaryBuilds
  /** Open addresses by build id. */
  readonly #open = new Map<string, OpenAddress>()
  #count = 0

  constructor(deps: Dependencies, temporaryBuilds: TemporaryBuilds) {
    this.#deps = deps
    this.#temporaryBuilds = temporaryBuilds
  }

  /** Runs a test with the URL of the build. The build does not expire before the test ends. */
  use<T>(build: Build, work: (url: string) => Promise<T>): Promise<T> {
    return this.#temporaryBuilds.whileTested(build.id, () => this.#withUrl(build, work))
  }

  async #withUrl<T>(build: Build, work: (url: string) => Promise<T>): Promise<T> {
    const { store, addresses } = this.#deps
    const preview = addresses.find(build.name, 'preview')
    if (preview && store.servers.find(build.name)?.previewMcpId === build.id) return work(mcpUrl(preview))
    const open = this.#open.get(build.id) ?? this.#start(build)
    this.#open.set(build.id, open)
    open.users++
    try {
      return await work(await open.url)
    } finally {
      if (--open.users === 0) await this.#close(build, open)
    }
  }

  #start(build: Build): OpenAddress {
    // A new id each time, because the previous one may still be closing.
    const id = `${build.id}-test-${++this.#count}`
    return { id, users: 0, url: this.#serve(build, id) }
  }

  async #serve(build: Build, id: string): Promise<string> {
    const { gateway, supervisor } = this.#deps
    const port = await gateway.open(id)
    const address = { server: build.name, slot: 'preview' as const, port, subdomain: null }
    supervisor.add(previewWorkload(this.#deps, build, {}, { id, address }))
    gateway.point(id, id)
    return mcpUrl(address)
  }

  async #close(build: Build, { id }: OpenAddress): Promise<void> {
    const { gateway, supervisor, logs } = this.#deps
    this.#open.delete(build.id)
    await gateway.close(id)
    await supervisor.remove(id)
    await logs.remove(id)
  }
}
