import type { ChangedList } from '../../shared/instance-protocol.ts'
import { Turns } from '../../shared/turns.ts'
import type { Build } from '../store/builds.ts'
import type { Server } from '../store/servers.ts'
import { isHeld, mcpUrl } from './addresses.ts'
import type { Rooms } from './rooms.ts'
import { servedPreview } from './served.ts'
import { changedLists } from './surfaces.ts'

/** The preview address of each server: it serves the newest ready build, asleep until somebody connects. */
export class Previews {
  readonly #rooms: Rooms
  readonly #turns = new Turns()
  readonly #draining = new Set<string>()
  /** Servers whose port another program held when their preview was to open. */
  readonly #held = new Set<string>()
  /** By build: values that came with the build request. Nothing of a preview is worth writing secrets down. */
  readonly #env = new Map<string, Record<string, string>>()

  constructor(rooms: Rooms) {
    this.#rooms = rooms
  }

  /** The preview's URL; empty until the server's first build chose its address. */
  url(server: string): string {
    const address = this.#rooms.addresses.find(server, 'preview')
    return address ? mcpUrl(address) : ''
  }

  /** Opens the address, so that a build is not ready before its URL works. */
  async prepare(server: string): Promise<void> {
    await this.#rooms.addresses.open(server, 'preview')
  }

  /** A newly ready build takes the address over, unless a newer one has it already. */
  take(build: Build, env: Record<string, string> = {}): Promise<void> {
    if (Object.keys(env).length > 0) this.#env.set(build.id, env)
    return this.#turns.take(build.name, async () => {
      const { store } = this.#rooms
      const newest = store.builds.newestReady(build.name)
      const before = store.servers.find(build.name)?.previewMcpId ?? null
      if (newest?.id !== build.id || before === build.id) return
      store.servers.setPreview(build.name, build.id)
      const isAwake = before !== null && this.#isAwake(before)
      await this.#serve(build, { isAwake })
      if (before) this.#drain(before, changedLists(this.#rooms, before, build))
    })
  }

  /** After a build was removed: the newest one left takes over, or the address closes. */
  forget(build: Build): Promise<void> {
    this.#env.delete(build.id)
    return this.#turns.take(build.name, async () => {
      const { store, supervisor } = this.#rooms
      if (store.servers.find(build.name)?.previewMcpId !== build.id) return
      const next = store.builds.newestReady(build.name)
      store.servers.setPreview(build.name, next?.id ?? null)
      if (next) await this.#serve(next)
      else await this.#close(build.name)
      await supervisor.remove(build.id)
    })
  }

  /** After a build failed: the address that was opened for it closes when there is nothing to serve. */
  closeUnused(server: string): Promise<void> {
    return this.#turns.take(server, () => this.#close(server))
  }

  /** After a start of the daemon: the newest ready build serves, whatever a crash came between. */
  async reopen({ name, previewMcpId }: Server): Promise<void> {
    const { store } = this.#rooms
    const newest = store.builds.newestReady(name)
    if ((newest?.id ?? null) !== previewMcpId) store.servers.setPreview(name, newest?.id ?? null)
    if (!newest) return
    try {
      await this.#serve(newest, { waits: false })
    } catch (error) {
      if (!isHeld(error)) throw error
      this.#held.add(name)
    }
  }

  /** Those whose port was taken, as far as it is free by now: each by itself, so that none keeps the others waiting or closed. */
  reopenHeld(): void {
    const { store, background } = this.#rooms
    const names = [...this.#held]
    this.#held.clear()
    const reopen = async (name: string) => {
      const server = store.servers.find(name)
      if (server) await this.reopen(server)
    }
    for (const name of names) background.run(() => this.#turns.take(name, () => reopen(name)))
  }

  /** A preview that failed for good is tried again by the next connection, unless another build took its place. */
  reset(build: Build): Promise<void> {
    return this.#turns.take(build.name, async () => {
      if (this.#rooms.store.servers.find(build.name)?.previewMcpId !== build.id) return
      await this.#rooms.supervisor.remove(build.id)
      await this.#serve(build)
    })
  }

  async #close(server: string): Promise<void> {
    const { store, addresses } = this.#rooms
    await addresses.close(server, 'preview', () => Boolean(store.servers.find(server)?.previewMcpId))
  }

  #isAwake(id: string): boolean {
    const { supervisor } = this.#rooms
    return supervisor.has(id) && supervisor.report(id).instances.some(({ state }) => state === 'ready')
  }

  /** With `isAwake` it runs before connections are sent to it, so that none has to wait for its start. */
  async #serve(build: Build, { isAwake = false, waits = true } = {}): Promise<void> {
    const { addresses, supervisor } = this.#rooms
    await addresses.open(build.name, 'preview', { waits })
    // What still drains takes no connection any more; the newer build that it made way for is gone.
    if (this.#draining.delete(build.id)) await supervisor.remove(build.id)
    if (!supervisor.has(build.id)) supervisor.add(servedPreview(this.#rooms, build, this.#env.get(build.id)))
    // Why it did not start is told in its log, and to the first who connects.
    if (isAwake) await supervisor.start(build.id).catch(() => {})
    addresses.point(build.name, 'preview', build.id)
  }

  #drain(id: string, changed: ChangedList[]): void {
    const { supervisor, background } = this.#rooms
    if (!supervisor.has(id)) return
    this.#draining.add(id)
    background.run(() =>
      supervisor.drain(id, { order: { changed } }).finally(() => this.#draining.delete(id)),
    )
  }
}
