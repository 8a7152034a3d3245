import dgram from 'node:dgram'
import { Socket } from 'node:net'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import {
  describeRefusal,
  isBorderless,
  NetworkPolicy,
  REFUSED_CODE,
} from '../../shared/network/network-policy.ts'
import { replace } from '../isolation/denied.ts'
import type { TenantLog } from '../log/tenant-log.ts'
import { readConnectArguments } from './connect-arguments.ts'
import { EgressRoute } from './egress-route.ts'
import { GuardedRoute } from './guarded-route.ts'
import { HandleGuard } from './handle-guard.ts'
import { replaceLookUps } from './module-dns.ts'
import { egressPort, hasNetworkNamespace } from './network-namespace.ts'
import type { NetworkRoute } from './network-route.ts'
import { connectOwn, guardOwn } from './own-connect.ts'
import { OwnListeners } from './own-listeners.ts'
import { RefusalLog } from './refusal-log.ts'

const { connect } = Socket.prototype

/**
 * Redirects connections and lookups of handler modules to the route: fetch, node:http, node:tls and database clients all
 * connect through `net.Socket`. Enforces the policy on machines without network namespaces.
 */
export function replaceNetwork(tenant: Tenant, log: TenantLog): void {
  const route = routeOf(tenant, log)
  if (!route) return
  if (route instanceof GuardedRoute) route.guard.install()
  replaceConnect(route)
  replaceLookUps(route)
  refuseUdp()
}

/** Undefined when the host's network is used without restrictions. */
function routeOf(tenant: Tenant, log: TenantLog): NetworkRoute | undefined {
  if (hasNetworkNamespace && egressPort !== undefined) return new EgressRoute(egressPort)
  if (isBorderless(tenant)) return undefined
  const refusals = new RefusalLog(message => log.server('warn', message))
  const guard = new HandleGuard(tenant)
  guardOwn(guard)
  return new GuardedRoute({
    policy: new NetworkPolicy(tenant),
    guard,
    onRefused: refusal => refusals.add(describeRefusal(refusal)),
  })
}

function replaceConnect(route: NetworkRoute): void {
  const listeners = new OwnListeners()
  replace(Socket.prototype, 'connect', function (this: Socket, ...args: unknown[]) {
    const { options, onConnect } = readConnectArguments(args)
    const { host = 'localhost', port, path } = options
    // The original function fails for Unix sockets, which are sealed, and for invalid ports.
    if (path !== undefined || !isPort(port)) return Reflect.apply(connect, this, args)
    if (onConnect) this.once('connect', onConnect)
    const isOwn = listeners.has(String(host), Number(port))
    return connectOwn(
      this,
      isOwn
        ? { ...options, port: Number(port), host: String(host) }
        : route.connectOptions(options, String(host), Number(port)),
    )
  })
}

function isPort(port: unknown): boolean {
  const value = typeof port === 'string' && port.trim() !== '' ? Number(port) : port
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535
}

/** Refuses UDP, because direct queries to a DNS server could leak data past the policy. */
function refuseUdp(): void {
  for (const name of ['bind', 'connect', 'send'] as const)
    replace(dgram.Socket.prototype, name, () => {
      throw Object.assign(
        new Error('UDP is not available to handler modules. Use TCP. See "network" in docs/isolation.md.'),
        { code: REFUSED_CODE },
      )
    })
}
