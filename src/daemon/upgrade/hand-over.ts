import type { ApiServer } from '../api-server.ts'
import type { InheritedSockets } from '../gateway/inherited-sockets.ts'
import type { ServiceDependencies } from '../services/dependencies.ts'

/** Time that running API requests have to finish before they are aborted. */
const API_GRACE_MS = 20_000
const BACKGROUND_GRACE_MS = 5000

/** State that a successor needs in addition to the home. */
export interface InheritedState {
  apiPort: number
  namedPorts: { http?: number; https?: number }
  /** File descriptors of all listening sockets, by port. */
  sockets: InheritedSockets
}

/** Steps in which a daemon hands the home over to its successor, while the servers keep answering. */
export interface HandOver {
  inheritedState(): InheritedState
  /** Closes the API and makes the database read-only, so that the successor may write. */
  begin(): Promise<void>
  /** Undoes `begin` after the successor failed. */
  takeBack(): Promise<void>
  /** Called when the successor serves. Stops accepting connections, and resolves when the open ones have closed. */
  finish(): Promise<void>
}

export function createHandOver({
  api,
  deps,
  close,
}: {
  api: ApiServer
  deps: Pick<
    ServiceDependencies,
    'background' | 'destinations' | 'gateway' | 'publicListeners' | 'requestMetrics' | 'store' | 'supervisor'
  >
  close(): Promise<void>
}): HandOver {
  const { background, store, publicListeners, gateway, supervisor, requestMetrics, destinations } = deps
  return {
    inheritedState: () => inheritedStateOf(api, deps),
    async begin() {
      await api.close(API_GRACE_MS)
      await background.settleWithin(BACKGROUND_GRACE_MS)
      background.closing = true
      requestMetrics.flush()
      destinations.flush()
      store.database.setReadOnly(true)
    },
    async takeBack() {
      store.database.setReadOnly(false)
      background.closing = false
      await api.reopen()
    },
    async finish() {
      publicListeners.close()
      await gateway.closeAll()
      await supervisor.drainAll()
      await close()
    },
  }
}

function inheritedStateOf(
  api: ApiServer,
  { publicListeners, gateway }: Pick<ServiceDependencies, 'gateway' | 'publicListeners'>,
): InheritedState {
  const sockets = gateway.sockets().set(api.port, api.descriptor)
  const namedPorts: InheritedState['namedPorts'] = {}
  for (const { protocol, port, descriptor } of publicListeners.sockets()) {
    sockets.set(port, descriptor)
    namedPorts[protocol] = port
  }
  return { apiPort: api.port, namedPorts, sockets }
}
