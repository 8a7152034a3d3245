import type { IncomingMessage, ServerResponse } from 'node:http'
import { RPC } from '../protocol/json-rpc.ts'
import { serveMcp } from '../protocol/serve-mcp.ts'
import { preflightHeaders, refuseAddress } from './address-check.ts'
import { isFromPeer, tenantOf } from './connection-tenant.ts'
import { type Exchange, refuse, sendEmpty, sendJson } from './exchange.ts'
import { relayToSuccessor } from './relay.ts'

/** Every request of the process arrives here; its connection says which tenant it is for. */
export function handleRequest(request: IncomingMessage, response: ServerResponse): void {
  const tenant = tenantOf(request.socket)
  if (!tenant) return void response.destroy()
  const exchange: Exchange = { tenant, request, response }
  const refusal = refuseAddress(tenant.config, request)
  if (refusal) return refuse(exchange, refusal.status, { code: RPC.refused, message: refusal.message })
  if ((tenant.isReplaced || tenant.hasLeft) && !tenant.keepsSessionOf(request) && !isFromPeer(request.socket))
    return relayToSuccessor(exchange)
  const path = pathOf(request.url ?? '/')
  if (path === '/health') serveHealth(exchange)
  else if (tenant.guard) tenant.guard(exchange, path, () => serve(exchange, path))
  else serve(exchange, path)
}

function serve(exchange: Exchange, path: string): void {
  const { server } = exchange.tenant
  if (server.forward && path !== server.ownPath) forward(exchange)
  else if (path === '/mcp') serveMcp(exchange)
  else refusePath(exchange, path)
}

/** Sessions are in the memory of one program; see proxy/program-sessions.ts. */
function forward(exchange: Exchange): void {
  const { server, siblings } = exchange.tenant
  const forwardHere = () => void server.forward?.(exchange)
  if (!siblings.relay?.(exchange, forwardHere)) forwardHere()
}

function serveHealth(exchange: Exchange): void {
  const { tenant, request } = exchange
  if (request.method === 'OPTIONS') return sendEmpty(exchange, 204, preflightHeaders(request))
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return sendProblem(exchange, 405, 'METHOD_NOT_ALLOWED', '/health answers GET', ['Allow', 'GET, HEAD'])
  const { server } = tenant
  if (server.isWell) void server.isWell().then(isWell => sendHealth(exchange, isWell))
  else sendHealth(exchange, true)
}

function sendHealth(exchange: Exchange, isWell: boolean): void {
  const { tenant } = exchange
  const { name, version } = tenant.server.info
  const status = isWell ? (tenant.isDraining ? 'draining' : 'ok') : 'unhealthy'
  const body = JSON.stringify({ status, server: name, version })
  sendJson(exchange, isWell ? 200 : 503, body, ['Cache-Control', 'no-store'])
}

function refusePath(exchange: Exchange, path: string): void {
  const message = `There is nothing at ${path}; the MCP endpoint is ${exchange.tenant.config.url}`
  sendProblem(exchange, 404, 'NOT_FOUND', message)
}

function sendProblem(
  exchange: Exchange,
  status: number,
  code: string,
  message: string,
  headers?: readonly string[],
): void {
  sendJson(exchange, status, JSON.stringify({ success: false, error: { code, message } }), headers)
}

function pathOf(url: string): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}
