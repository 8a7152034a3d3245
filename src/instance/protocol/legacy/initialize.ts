import { isFromPeer } from '../../http/connection.ts'
import { header } from '../../http/headers.ts'
import { relayToSuccessor } from '../../http/relay.ts'
import { refuse, sendJson } from '../../http/responses.ts'
import type { ClientFacts } from '../../server/client-context.ts'
import type { ServedTenant, TenantExchange } from '../../tenant/served-tenant.ts'
import { isObject, RPC, type RpcRequest } from '../json-rpc.ts'
import type { MethodResult, Params } from '../methods.ts'
import { RequestContext } from '../request-context.ts'
import { isModernRevision, negotiateRevision } from '../revisions.ts'
import type { Run } from '../run.ts'
import { runRequest } from '../run-request.ts'
import { legacyResult, sendJsonAnswer } from './run-legacy.ts'
import type { Session } from './session.ts'

export function initialize(exchange: TenantExchange, request: RpcRequest): void {
  // A session started here would end with this process, and the client's next connection will reach another process.
  if (exchange.tenant.isDraining && !isFromPeer(exchange.request.socket))
    return relayToSuccessor(exchange, JSON.stringify(request))
  const { tenant } = exchange
  if (isModernRevision(header(exchange.request, 'mcp-protocol-version') ?? ''))
    return refuse(exchange, 400, {
      code: RPC.headerMismatch,
      message:
        'initialize does not exist in the revision that MCP-Protocol-Version names. Use server/discover.',
      id: request.id,
    })
  const run: Run = {
    exchange,
    request,
    context: new RequestContext(undefined, undefined),
    finishResult: legacyResult,
    deliver: body => sendJsonAnswer(exchange, body),
    startedAt: performance.now(),
    isSettled: false,
  }
  runRequest(run, (_server, params) => {
    const session = tenant.sessions.create(negotiateRevision(params.protocolVersion), {
      facts: clientFacts(params),
      owner: run.exchange.caller?.subject,
    })
    run.sessionId = session.label
    run.deliver = body => sendJson(exchange, 200, body ?? '', ['Mcp-Session-Id', session.id])
    return initializeResult(tenant, session)
  })
}

function initializeResult({ server }: ServedTenant, session: Session): MethodResult {
  const result = {
    protocolVersion: session.revision,
    capabilities: server.capabilities,
    serverInfo: server.info,
    instructions: server.instructions,
  }
  return { members: JSON.stringify(result).slice(1, -1), failed: false }
}

function clientFacts({ capabilities, clientInfo }: Params): Omit<ClientFacts, 'protocolVersion'> {
  const isNamed = isObject(clientInfo) && typeof clientInfo.name === 'string'
  return {
    capabilities: isObject(capabilities) ? capabilities : {},
    info: isNamed ? (clientInfo as ClientFacts['info']) : undefined,
  }
}
