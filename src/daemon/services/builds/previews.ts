import { setTimeout as sleep } from 'node:timers/promises'
import { debuggerInUse } from '../../../shared/api/debugger-in-use.ts'
import type { Environment } from '../../../shared/contract/states.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { ChangedList, StatePlace } from '../../../shared/instances/instance-protocol.ts'
import { KeyedQueue } from '../../../shared/keyed-queue.ts'
import type { Served } from '../../runtime/served.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { Server } from '../../store/tables/servers.ts'
import { isPortConflict, mcpUrl } from '../addresses/addresses.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { changedLists } from '../deployments/surfaces.ts'
import { type PreviewDependencies, previewWorkload } from '../serving/workloads.ts'
import { loadArtifact } from './stored-builds.ts'

type Dependencies = PreviewDependencies & Pick<ServiceDependencies, 'supervisor'>

interface Debugger {
  port: number
  /** False when the client has disconnected. */
  isOpen: boolean
}

/** Time for a client to disconnect from the debugger of its previous build. */
const DISCONNECT_ATTEMPTS = 40
const DISCONNECT_PAUSE_MS = 50

/** The preview of each server. It serves the newest ready build and sleeps until a client connects. */
export class Previews {
  readonly #deps: Dependencies
  readonly #queue = new KeyedQueue()
  readonly #draining = new Set<string>()
  /** Servers whose preview could not open because another program uses its port. */
  readonly #conflicting = new Set<string>()
  /** Environment variables of build requests, by build. Not stored, because a preview does not justify storing secrets. */
  readonly #env = new Map<string, Record<string, string>>()
  /** Debuggers, by build. */
  readonly #inspected = new Map<string, Debugger>()

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** URL of the preview. Empty until the server's first build opens its address. */
  url(server: string): string {
    const address = this.#deps.addresses.find(server, 'preview')
    return address ? mcpUrl(address) : ''
  }

  /** Opens the address, so that the URL works when the build is ready. */
  async openAddress(server: string): Promise<void> {
    await this.#deps.addresses.open(server, 'preview')
  }

  /** Copies the data of an environment to a preview that has none. Throws UNAVAILABLE. */
  async copyState({ id, name }: Build, from: Environment | undefined): Promise<void> {
    if (from === undefined) return
    const { states, logs, clock } = this.#deps
    const place = (slot: StatePlace['slot']) => ({ server: name, slot })
    const copied = await states.copy(place(from), place('preview')).catch(error => {
      throw notCopied(name, from, error)
    })
    if (!copied) return
    const message = `the preview starts with a copy of the data in ${from}`
    await logs.append(id, { timestamp: clock.now(), level: 'info', stream: 'server', message })
  }

  /** Switches the preview to a ready build, unless a newer build is ready. */
  switchTo(build: Build, env: Record<string, string> = {}): Promise<void> {
    if (Object.keys(env).length > 0) this.#env.set(build.id, env)
    return this.#queue.run(build.name, async () => {
      const { store } = this.#deps
      const newest = store.builds.findNewestReady(build.name)
      const before = store.servers.find(build.name)?.previewMcpId ?? null
      if (newest?.id !== build.id || before === build.id) return
      store.servers.setPreview(build.name, build.id)
      const isAwake = before !== null && this.#isAwake(before)
      await this.#serve(build, { isAwake })
      if (before) this.#drain(before, changedLists(this.#deps, before, build))
    })
  }

  /** Called after a build has been removed. The newest remaining build takes over, or the address closes. */
  removeBuild(build: Build): Promise<void> {
    this.#env.delete(build.id)
    this.#inspected.delete(build.id)
    return this.#queue.run(build.name, async () => {
      const { store, supervisor } = this.#deps
      if (store.servers.find(build.name)?.previewMcpId !== build.id) return
      const next = store.builds.findNewestReady(build.name)
      store.servers.setPreview(build.name, next?.id ?? null)
      if (next) await this.#serve(next)
      else await this.#close(build.name)
      await supervisor.remove(build.id)
    })
  }

  /** Called after a build has failed. Closes the address when there is nothing to serve. */
  closeUnused(server: string): Promise<void> {
    return this.#queue.run(server, () => this.#close(server))
  }

  /** Called when the daemon starts. Serves the newest ready build. */
  async reopen({ name, previewMcpId }: Server): Promise<void> {
    const { store } = this.#deps
    const newest = store.builds.findNewestReady(name)
    if ((newest?.id ?? null) !== previewMcpId) store.servers.setPreview(name, newest?.id ?? null)
    if (!newest) return
    try {
      await this.#serve(newest, { waits: false })
    } catch (error) {
      if (!isPortConflict(error)) throw error
      this.#conflicting.add(name)
    }
  }

  /** Tries again to open the previews whose port was taken, each independently of the others. */
  reopenConflicting(): void {
    const { store, background } = this.#deps
    const names = [...this.#conflicting]
    this.#conflicting.clear()
    const reopen = async (name: string) => {
      const server = store.servers.find(name)
      if (server) await this.reopen(server)
    }
    for (const name of names) background.run(() => this.#queue.run(name, () => reopen(name)))
  }

  /** Called after variables have changed. A sleeping preview reads them when it wakes up. */
  refresh(server: string): Promise<void> {
    return this.#queue.run(server, async () => {
      const { store, supervisor } = this.#deps
      const id = store.servers.find(server)?.previewMcpId
      if (!id || !this.#isAwake(id)) return
      if (!this.#inspected.has(id)) return supervisor.renew(id)
      // Two processes cannot share the debugger's port.
      await supervisor.remove(id)
      await this.#serve(store.builds.find(id)!, { isAwake: true })
    })
  }

  /** Makes the next connection start a failed preview again, unless it serves another build by then. */
  reset(build: Build): Promise<void> {
    return this.#queue.run(build.name, async () => {
      if (this.#deps.store.servers.find(build.name)?.previewMcpId !== build.id) return
      await this.#deps.supervisor.remove(build.id)
      await this.#serve(build)
    })
  }

  inspectedPort(buildId: string): number | undefined {
    return this.#inspected.get(buildId)?.port
  }

  /**
   * Restarts the preview with a debugger until `ended` resolves. Throws CONFLICT if the preview serves another build or another
   * client debugs the server, INVALID_REQUEST for a server without handler modules, and the errors of `findPort`.
   */
  startInspected(build: Build, findPort: () => Promise<number>, ended: Promise<void>): Promise<void> {
    return this.#queue.run(build.name, async () => {
      const { store, supervisor } = this.#deps
      if (store.servers.find(build.name)?.previewMcpId !== build.id) throw otherPreview(build)
      if (loadArtifact(this.#deps, build).program?.type !== 'module') throw notInspectable(build)
      await this.#requireNoDebugger(build)
      // The process of an earlier build may hold the port, even while the debugger has paused that process.
      for (const id of this.#inspected.keys())
        if (store.builds.find(id)?.name === build.name && supervisor.has(id)) await supervisor.remove(id)
      try {
        const started = { port: await findPort(), isOpen: true }
        this.#inspected.set(build.id, started)
        void ended.then(() => {
          started.isOpen = false
          this.#deps.background.run(() => this.#endInspected(build, started))
        })
        if (supervisor.has(build.id)) await supervisor.remove(build.id)
      } finally {
        await this.#serve(build, { isAwake: this.#inspected.has(build.id) })
      }
    })
  }

  /** Throws CONFLICT while another client debugs the server, because a preview is one process. */
  async #requireNoDebugger({ name }: Build): Promise<void> {
    for (let tries = 1; ; tries++) {
      const other = this.#openDebugger(name)
      if (!other) return
      if (tries === DISCONNECT_ATTEMPTS) throw debuggerInUse(name, other.port)
      await sleep(DISCONNECT_PAUSE_MS)
    }
  }

  #openDebugger(server: string): Debugger | undefined {
    const ids = [...this.#inspected.keys()]
    const id = ids.find(
      id => this.#inspected.get(id)!.isOpen && this.#deps.store.builds.find(id)?.name === server,
    )
    return id === undefined ? undefined : this.#inspected.get(id)
  }

  /** Resets the preview, unless a later request has started another debugger for the build. */
  async #endInspected(build: Build, started: Debugger): Promise<void> {
    if (this.#inspected.get(build.id) !== started) return
    this.#inspected.delete(build.id)
    await this.reset(build)
  }

  async #close(server: string): Promise<void> {
    const { store, addresses } = this.#deps
    await addresses.close(server, 'preview', () => Boolean(store.servers.find(server)?.previewMcpId))
  }

  #isAwake(id: string): boolean {
    const { supervisor } = this.#deps
    return supervisor.has(id) && supervisor.report(id).instances.some(({ state }) => state === 'ready')
  }

  /** With `isAwake`, instances start before connections are sent to them, so that no client waits. */
  async #serve(build: Build, { isAwake = false, waits = true } = {}): Promise<void> {
    const { addresses, supervisor } = this.#deps
    await addresses.open(build.name, 'preview', { waits })
    // A build that is still draining accepts no connections. It serves again because the newer build was removed.
    if (this.#draining.delete(build.id)) await supervisor.remove(build.id)
    if (!supervisor.has(build.id)) supervisor.add(this.#workload(build))
    // A failed start is reported in the log and to the first client.
    if (isAwake) await supervisor.start(build.id).catch(() => {})
    addresses.point(build.name, 'preview', build.id)
  }

  #workload(build: Build): Served {
    const inspectPort = this.inspectedPort(build.id)
    return previewWorkload(this.#deps, build, this.#env.get(build.id), { id: build.id, inspectPort })
  }

  #drain(id: string, changed: ChangedList[]): void {
    const { supervisor, background } = this.#deps
    if (!supervisor.has(id)) return
    this.#draining.add(id)
    background.run(() =>
      supervisor.drain(id, { notice: { changed } }).finally(() => this.#draining.delete(id)),
    )
  }
}

function notCopied(server: string, from: Environment, cause: Error): HostingError {
  return new HostingError(
    'UNAVAILABLE',
    `The data of "${server}" in ${from} could not be copied to its preview: ${cause.message}`,
    { details: 'Build again, or remove preview.copy_state_from, so that the preview starts empty.', cause },
  )
}

function otherPreview({ id, name }: Build): HostingError {
  return new HostingError('CONFLICT', `The preview of "${name}" serves a different build, not ${id}.`)
}

function notInspectable({ name }: Build): HostingError {
  return new HostingError('INVALID_REQUEST', `"${name}" has no handler modules to debug.`, {
    details: 'To debug a program, start it with the debugger for its language.',
  })
}
