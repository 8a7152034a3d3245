import { META } from '../../../shared/modern-envelope.ts'
import { openStream, refuse, refuseStream } from '../../http/responses.ts'
import type { ServerCapabilities } from '../../server/prepared-server.ts'
import type { TenantExchange } from '../../tenant/served-tenant.ts'
import type { Listener } from '../change-notifier.ts'
import { isObject, RPC, type RpcRequest, rpcNotification, rpcResult } from '../json-rpc.ts'
import { modernResult } from './result.ts'

/** Changes that a client subscribes to. */
interface SubscriptionFilter {
  toolsListChanged?: boolean
  promptsListChanged?: boolean
  resourcesListChanged?: boolean
  resourceSubscriptions?: string[]
}

/** Number of streams that this process has opened. */
let streams = 0

/**
 * Serves `subscriptions/listen`: a stream that starts with the accepted subscriptions and ends with a result when the server
 * closes it (2026-07-28 basic/utilities/subscriptions).
 */
export function serveListen(exchange: TenantExchange, request: RpcRequest): void {
  const { tenant } = exchange
  const filter = request.params?.notifications
  if (!isFilter(filter))
    return refuse(exchange, 200, {
      code: RPC.invalidParams,
      message: 'Invalid params: "notifications" must be a subscription filter',
      id: request.id,
    })
  if (!tenant.hasRoomForStream) return refuseStream(exchange, request.id)
  const honoured = honouredPart(filter, tenant.server.capabilities)
  const meta = { [META.subscriptionId]: request.id }
  const envelope = request.params!._meta as Record<string, unknown>
  const finish = () => {
    stream.send(
      rpcResult(request.id, modernResult(tenant, request.method, { members: '', meta, failed: false })),
    )
    stream.end()
  }
  const listener: Listener = {
    number: ++streams,
    protocolVersion: envelope[META.protocolVersion] as string,
    client: envelope[META.clientInfo] as Listener['client'],
    owner: exchange.caller?.subject,
    startedAt: Date.now(),
    subscriptions: namesOf(honoured),
    finish,
    wantsList: list => honoured[`${list}ListChanged`] === true,
    wantsResource: uri => honoured.resourceSubscriptions?.includes(uri) ?? false,
    send(method, params) {
      const notification = rpcNotification(method, { ...params, _meta: meta })
      tenant.log.message('out', notification)
      stream.send(notification)
    },
  }
  const ended = new AbortController()
  const stream = openStream(exchange, [], () => {
    ended.abort()
    tenant.endlessStreams.delete(finish)
    tenant.changeNotifier.listeners.delete(listener)
  })
  tenant.endlessStreams.add(finish)
  const acknowledgement = rpcNotification('notifications/subscriptions/acknowledged', {
    notifications: honoured,
    _meta: meta,
  })
  tenant.log.message('out', acknowledgement)
  stream.send(acknowledgement)
  tenant.changeNotifier.listeners.add(listener)
  if (honoured.resourceSubscriptions) tenant.server.listen?.(honoured.resourceSubscriptions, ended.signal)
  // Ends a stream that has nothing to send, and any stream of a draining tenant.
  if (Object.keys(honoured).length === 0 || tenant.isDraining) finish()
}

/** Subscribed lists and resource URIs. */
function namesOf(filter: SubscriptionFilter): string[] {
  const lists = (['tools', 'resources', 'prompts'] as const).filter(list => filter[`${list}ListChanged`])
  return [...lists, ...(filter.resourceSubscriptions ?? [])]
}

function isFilter(value: unknown): value is SubscriptionFilter {
  if (!isObject(value)) return false
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions } = value
  const flags = [toolsListChanged, promptsListChanged, resourcesListChanged]
  if (!flags.every(flag => flag === undefined || typeof flag === 'boolean')) return false
  if (resourceSubscriptions === undefined) return true
  return Array.isArray(resourceSubscriptions) && resourceSubscriptions.every(uri => typeof uri === 'string')
}

function honouredPart(
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
