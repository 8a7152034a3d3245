import type { ApiServer } from './api-server.ts'
import type { InheritedSockets } from './gateway/inherited-sockets.ts'
import type { Rooms } from './services/rooms.ts'

/** What is asked of the API gets so long to be answered, before it is cut. */
const API_GRACE_MS = 20_000
const BACKGROUND_GRACE_MS = 5000

/** What another daemon needs to take over, besides the home. */
export interface Estate {
  apiPort: number
  namedPorts: { http?: number; https?: number }
  /** Descriptors of all listening sockets, by port. */
  sockets: InheritedSockets
}

/** How a daemon makes room for another one of the same home, while its servers answer on. */
export interface HandOver {
  estate(): Estate
  /** From now on the other one may write: the API takes no more, and the database cannot be written from here. */
  begin(): Promise<void>
  /** The other one did not come to serve: all is as it was before `begin`. */
  takeBack(): Promise<void>
  /** The other one serves: accepts nothing more; resolves when open connections have ended and all is closed. */
  finish(): Promise<void>
}

export function createHandOver({
  api,
  rooms,
  close,
}: {
  api: ApiServer
  rooms: Rooms
  close(): Promise<void>
}): HandOver {
  const { background, store, frontDoors, gateway, supervisor, requestMetrics } = rooms
  return {
    estate: () => estateOf(api, rooms),
    async begin() {
      await api.close(API_GRACE_MS)
      await background.settleWithin(BACKGROUND_GRACE_MS)
      background.closing = true
      requestMetrics.flush()
      store.database.setReadOnly(true)
    },
    async takeBack() {
      store.database.setReadOnly(false)
      background.closing = false
      await api.reopen()
    },
    async finish() {
      frontDoors.close()
      await gateway.closeAll()
      await supervisor.drainAll()
      await close()
    },
  }
}

function estateOf(api: ApiServer, { frontDoors, gateway }: Rooms): Estate {
  const sockets = gateway.sockets().set(api.port, api.descriptor)
  const namedPorts: Estate['namedPorts'] = {}
  for (const { door, port, descriptor } of frontDoors.sockets()) {
    sockets.set(port, descriptor)
    namedPorts[door] = port
  }
  return { apiPort: api.port, namedPorts, sockets }
}
