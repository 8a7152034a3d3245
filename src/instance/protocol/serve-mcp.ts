import type { Era } from '../../shared/definitions/artifact.ts'
import { preflightHeaders } from '../http/address-check.ts'
import { MAX_BODY_BYTES, parseJson, readBody } from '../http/body.ts'
import { accepts, header, isJson } from '../http/headers.ts'
import { refuse, sendEmpty } from '../http/responses.ts'
import { mustWake } from '../server/sleeping-server.ts'
import type { TenantExchange } from '../tenant/served-tenant.ts'
import { echoableId, messageKind, RPC, type RpcNotification, type RpcRequest } from './json-rpc.ts'
import { serveBatch } from './legacy/batch.ts'
import { serveLegacyMessage } from './legacy/serve-legacy.ts'
import { endSession, openSessionStream } from './legacy/streams.ts'
import { hasClaim } from './modern/envelope.ts'
import { refuseModern, serveModernNotification, serveModernRequest } from './modern/serve-modern.ts'
import { isModernRevision } from './revisions.ts'

/** Serves the MCP endpoint: Streamable HTTP for both eras at one URL. */
export function serveMcp(exchange: TenantExchange): void {
  const { relay } = exchange.tenant.peers
  if (!relay?.(exchange, () => serveHere(exchange))) serveHere(exchange)
}

function serveHere(exchange: TenantExchange): void {
  const { request } = exchange
  if (request.method === 'POST') return servePost(exchange)
  if (request.method === 'OPTIONS') return sendEmpty(exchange, 204, preflightHeaders(request))
  const isLegacy = !isModernRevision(header(request, 'mcp-protocol-version') ?? '')
  if (isLegacy && request.method === 'GET') return guard(exchange, () => openSessionStream(exchange))
  if (isLegacy && request.method === 'DELETE') return guard(exchange, () => endSession(exchange))
  const allow = isLegacy ? 'GET, POST, DELETE, OPTIONS' : 'POST, OPTIONS'
  const message = `Method ${request.method} is not allowed here. Allowed: ${allow}.`
  refuse(exchange, 405, { code: RPC.refused, message }, ['Allow', allow])
}

function servePost(exchange: TenantExchange): void {
  const { request } = exchange
  if (!isJson(request.headers['content-type']))
    return refuse(exchange, 415, { code: RPC.refused, message: 'Content-Type must be application/json' })
  const { accept } = request.headers
  if (!accepts(accept, 'application/json') || !accepts(accept, 'text/event-stream'))
    return refuse(exchange, 406, {
      code: RPC.refused,
      message: 'Accept must list both application/json and text/event-stream',
    })
  readBody(
    request,
    text => guard(exchange, () => serveText(exchange, text)),
    () =>
      refuse(exchange, 413, {
        code: RPC.refused,
        message: `The message is larger than the limit of ${MAX_BODY_BYTES} bytes`,
      }),
  )
}

function serveText(exchange: TenantExchange, text: string): void {
  let message: unknown
  try {
    message = parseJson(text)
  } catch (error) {
    const reason = (error as Error).message
    return refuse(exchange, 400, { code: RPC.parseError, message: `Parse error: ${reason}` })
  }
  const { wakeUp } = exchange.tenant
  if (wakeUp && mustWake(message, eraOf(exchange, message), exchange.tenant.server))
    return wakeUp(exchange, text, () => serveParsed(exchange, message, text))
  serveParsed(exchange, message, text)
}

function serveParsed(exchange: TenantExchange, message: unknown, text: string): void {
  exchange.tenant.log.message('in', text)
  if (Array.isArray(message)) return serveBatch(exchange, message)
  serveMessage(exchange, message)
}

function eraOf({ request }: TenantExchange, message: unknown): Era {
  const { method, params } = Object(message) as Partial<RpcRequest>
  const isModern = hasClaim(params) || isModernRevision(header(request, 'mcp-protocol-version') ?? '')
  return isModern && method !== 'initialize' ? 'modern' : 'legacy'
}

// A revision in the body takes precedence over the header, because a proxy that drops or adds a header must not change the era
// (2026-07-28 transports, "Protocol Version Header").
function serveMessage(exchange: TenantExchange, message: unknown): void {
  const kind = messageKind(message)
  if (kind === 'invalid')
    return refuse(exchange, 400, {
      code: RPC.invalidRequest,
      message: 'Invalid Request: the body is not a JSON-RPC 2.0 message as defined by MCP',
      id: echoableId(message),
    })
  const isModernHeader = isModernRevision(header(exchange.request, 'mcp-protocol-version') ?? '')
  if (kind === 'response')
    return isModernHeader
      ? refuseModern(exchange, {
          code: RPC.invalidRequest,
          message:
            'Responses cannot be posted since revision 2026-07-28. Repeat the request with inputResponses.',
        })
      : serveLegacyMessage(exchange, kind, message as RpcNotification)
  const call = message as RpcRequest
  const isClaimed = hasClaim(call.params)
  const isHandshake = call.method === 'initialize' && kind === 'request'
  if (!isClaimed && (!isModernHeader || isHandshake)) return serveLegacyMessage(exchange, kind, call)
  if (kind === 'notification') return serveModernNotification(exchange, call)
  serveModernRequest(exchange, call)
}

/** Calls `serve`. An internal error fails only the request, not the process. */
function guard(exchange: TenantExchange, serve: () => void): void {
  try {
    serve()
  } catch (error) {
    exchange.tenant.log.server('error', `Request failed: ${(error as Error)?.stack ?? error}`)
    refuse(exchange, 500, { code: RPC.internalError, message: 'Internal error' })
  }
}
