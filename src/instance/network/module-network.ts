import dgram from 'node:dgram'
import { Socket } from 'node:net'
import type { Tenant } from '../../shared/instance-protocol.ts'
import { describeRefusal, isBorderless, NetworkPolicy, REFUSED } from '../../shared/network/network-policy.ts'
import { replace } from '../isolation/denied.ts'
import type { TenantLog } from '../log/tenant-log.ts'
import { egressPort, hasOwnNetwork } from '../own-network.ts'
import { readConnectArguments } from './connect-arguments.ts'
import { EgressWay } from './egress-way.ts'
import { GuardedWay } from './guarded-way.ts'
import { replaceLookUps } from './module-dns.ts'
import { connectOwn } from './own-connect.ts'
import { OwnListeners } from './own-listeners.ts'
import { RefusalLog } from './refusal-log.ts'
import type { WayOut } from './way-out.ts'

const { connect } = Socket.prototype

/**
 * Leads connections and look-ups of handler modules to the way out: fetch, node:http, node:tls and clients of databases all
 * connect by `net.Socket`. In a network namespace this is plumbing only, and the namespace is the wall. Without one it is
 * what keeps the policy.
 */
export function replaceNetwork(tenant: Tenant, log: TenantLog): void {
  const way = wayOutOf(tenant, log)
  if (!way) return
  replaceConnect(way)
  replaceLookUps(way)
  refuseUdp()
}

/** Undefined where the network is the machine's own and nothing restricts it. */
function wayOutOf(tenant: Tenant, log: TenantLog): WayOut | undefined {
  if (hasOwnNetwork && egressPort !== undefined) return new EgressWay(egressPort)
  if (isBorderless(tenant)) return undefined
  const refusals = new RefusalLog(message => log.server('warn', message))
  return new GuardedWay(new NetworkPolicy(tenant), refusal => refusals.add(describeRefusal(refusal)))
}

function replaceConnect(way: WayOut): void {
  const listeners = new OwnListeners()
  replace(Socket.prototype, 'connect', function (this: Socket, ...args: unknown[]) {
    const { options, onConnect } = readConnectArguments(args)
    const { host = 'localhost', port, path } = options
    // Unix sockets and wrong ports are refused by Node's own.
    if (path !== undefined || !isPort(port)) return Reflect.apply(connect, this, args)
    if (onConnect) this.once('connect', onConnect)
    const isOwn = listeners.has(String(host), Number(port))
    return connectOwn(
      this,
      isOwn
        ? { ...options, port: Number(port), host: String(host) }
        : way.connectOptions(options, String(host), Number(port)),
    )
  })
}

function isPort(port: unknown): boolean {
  const value = typeof port === 'string' && port.trim() !== '' ? Number(port) : port
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535
}

/** A name service that is asked directly would carry data out whatever the list says. */
function refuseUdp(): void {
  for (const name of ['bind', 'connect', 'send'] as const)
    replace(dgram.Socket.prototype, name, () => {
      throw Object.assign(
        new Error(
          'UDP is not available to handler modules. Connections over TCP are, see "network" in docs/isolation.md.',
        ),
        { code: REFUSED },
      )
    })
}
