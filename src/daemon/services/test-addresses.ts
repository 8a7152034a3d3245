import type { Build } from '../store/builds.ts'
import { mcpUrl } from './addresses.ts'
import type { Rooms } from './rooms.ts'
import { servedPreview } from './served.ts'

interface Opened {
  /** What the runtime knows it by. */
  id: string
  /** Tests that use it now. */
  users: number
  url: Promise<string>
}

/** Where a build is tested: the preview's address for a server's newest build, one for the time of the tests for others. */
export class TestAddresses {
  readonly #rooms: Rooms
  /** By the build's id. */
  readonly #open = new Map<string, Opened>()
  #count = 0

  constructor(rooms: Rooms) {
    this.#rooms = rooms
  }

  async use<T>(build: Build, work: (url: string) => Promise<T>): Promise<T> {
    const { store, addresses } = this.#rooms
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

  #start(build: Build): Opened {
    // What still closes has another id than what opens.
    const id = `${build.id}-test-${++this.#count}`
    return { id, users: 0, url: this.#serve(build, id) }
  }

  async #serve(build: Build, id: string): Promise<string> {
    const { gateway, supervisor } = this.#rooms
    const port = await gateway.open(id)
    const address = { server: build.name, slot: 'preview' as const, port, subdomain: null }
    supervisor.add(servedPreview(this.#rooms, build, {}, { id, address }))
    gateway.point(id, id)
    return mcpUrl(address)
  }

  async #close(build: Build, { id }: Opened): Promise<void> {
    const { gateway, supervisor, logs } = this.#rooms
    this.#open.delete(build.id)
    await gateway.close(id)
    await supervisor.remove(id)
    await logs.remove(id)
  }
}
