import { HostingError } from '../../../shared/errors.ts'
import type { Slot } from '../../store/tables/addresses.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { mcpUrl } from './addresses.ts'

/** MCP endpoints of servers, for requests that arrive at the API. */
export class McpTargets {
  readonly #deps: Pick<ServiceDependencies, 'addresses' | 'store'>

  constructor(deps: Pick<ServiceDependencies, 'addresses' | 'store'>) {
    this.#deps = deps
  }

  /**
   * Throws NOT_FOUND for an unknown server, or one without an address in the slot, and UNAVAILABLE while nothing serves
   * there.
   */
  url(server: string, slot: Slot): string {
    const { addresses, store } = this.#deps
    if (!store.servers.find(server)) throw new HostingError('NOT_FOUND', `There is no server "${server}".`)
    const place = slot === 'preview' ? 'preview' : `deployment in ${slot}`
    const address = addresses.find(server, slot)
    if (!address) throw new HostingError('NOT_FOUND', `Server "${server}" has no ${place}.`)
    // Another program may use the port of a closed address.
    if (addresses.isOpen(address)) return mcpUrl(address)
    throw new HostingError('UNAVAILABLE', `The ${place} of server "${server}" is not running.`)
  }
}
