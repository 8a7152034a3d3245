import { type Exchange, openStream, refuse } from '../http/exchange.ts'
import type { ServerCapabilities } from '../prepared-server.ts'
import type { Listener } from './announcements.ts'
import { META } from './envelope.ts'
import { isObject, RPC, type RpcRequest, rpcNotification, rpcResult } from './json-rpc.ts'
import { modernResult } from './modern-result.ts'

/** What a client wants to be told of; the server keeps to the part that it can deliver. */
interface SubscriptionFilter {
  toolsListChanged?: boolean
  promptsListChanged?: boolean
  resourcesListChanged?: boolean
  resourceSubscriptions?: string[]
}

/**
 * `subscriptions/listen`: a stream that begins with what the server agreed to tell, and ends with a result when the server
 * ends it (2026-07-28 basic/utilities/subscriptions).
 */
export function serveListen(exchange: Exchange, request: RpcRequest): void {
  const { tenant } = exchange
  const filter = request.params?.notifications
  if (!isFilter(filter))
    return refuse(exchange, 200, {
      code: RPC.invalidParams,
      message: 'Invalid params: "notifications" must be a subscription filter',
      id: request.id,
    })
  if (!tenant.hasRoomForStream)
    return refuse(
      exchange,
      503,
      { code: RPC.refused, message: 'Too many open streams; try again later', id: request.id },
      ['Retry-After', '5'],
    )
  const honored = honoredPart(filter, tenant.server.capabilities)
  const meta = { [META.subscriptionId]: request.id }
  const listener: Listener = {
    hearsOf: list => honored[`${list}ListChanged`] === true,
    hearsOfResource: uri => honored.resourceSubscriptions?.includes(uri) ?? false,
    tell(method, params) {
      const notification = rpcNotification(method, { ...params, _meta: meta })
      tenant.log.message('out', notification)
      stream.send(notification)
    },
  }
  const finish = () => {
    stream.send(
      rpcResult(request.id, modernResult(tenant, request.method, { members: '', meta, failed: false })),
    )
    stream.end()
  }
  const ended = new AbortController()
  const stream = openStream(exchange, [], () => {
    ended.abort()
    tenant.endlessStreams.delete(finish)
    tenant.announcements.listeners.delete(listener)
  })
  tenant.endlessStreams.add(finish)
  const acknowledgement = rpcNotification('notifications/subscriptions/acknowledged', {
    notifications: honored,
    _meta: meta,
  })
  tenant.log.message('out', acknowledgement)
  stream.send(acknowledgement)
  tenant.announcements.listeners.add(listener)
  if (honored.resourceSubscriptions) tenant.server.listen?.(honored.resourceSubscriptions, ended.signal)
  // Nothing could ever be told, or not for long.
  if (Object.keys(honored).length === 0 || tenant.isDraining) finish()
}

function isFilter(value: unknown): value is SubscriptionFilter {
  if (!isObject(value)) return false
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions } = value
  const flags = [toolsListChanged, promptsListChanged, resourcesListChanged]
  if (!flags.every(flag => flag === undefined || typeof flag === 'boolean')) return false
  if (resourceSubscriptions === undefined) return true
  return Array.isArray(resourceSubscriptions) && resourceSubscriptions.every(uri => typeof uri === 'string')
}

function honoredPart(
  filter: SubscriptionFilter,
  { tools, prompts, resources }: ServerCapabilities,
): SubscriptionFilter {
  return {
    ...(filter.toolsListChanged && tools?.listChanged ? { toolsListChanged: true } : {}),
    ...(filter.promptsListChanged && prompts?.listChanged ? { promptsListChanged: true } : {}),
    ...(filter.resourcesListChanged && resources?.listChanged ? { resourcesListChanged: true } : {}),
    ...(filter.resourceSubscriptions?.length && resources?.subscribe
      ? { resourceSubscriptions: filter.resourceSubscriptions }
      : {}),
  }
}
