import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { RPC } from '../protocol/json-rpc.ts'
import { serveMcp } from '../protocol/serve-mcp.ts'
import type { ServedTenant, TenantExchange } from '../tenant/served-tenant.ts'
import { isPreflight, preflightHeaders, refuseAddress } from './address-check.ts'
import { isFromPeer } from './connection.ts'
import { sendPage, wantsPage } from './landing-page.ts'
import { relayToSuccessor } from './relay.ts'
import { refuse, sendEmpty, sendJson } from './responses.ts'

const TENANT = Symbol('tenant')
type TenantSocket = Socket & { [TENANT]?: ServedTenant }

/** Assigns a connection to the tenant of its address, so that no request can reach another tenant's server. */
export function bindConnection(socket: Socket, tenant: ServedTenant): void {
  ;(socket as TenantSocket)[TENANT] = tenant
}

/** Handles every request of the process. The connection determines the tenant. */
export function handleRequest(request: IncomingMessage, response: ServerResponse): void {
  const tenant = (request.socket as TenantSocket)[TENANT]
  if (!tenant) return void response.destroy()
  const exchange: TenantExchange = { tenant, request, response }
  const refusal = refuseAddress(tenant.config, request)
  if (refusal) return refuse(exchange, refusal.status, { code: RPC.refused, message: refusal.message })
  // Before the token check, because a browser sends no token with a preflight, and before programs, which need not handle CORS.
  if (isPreflight(request)) return sendEmpty(exchange, 204, preflightHeaders(request))
  if (
    (tenant.isReplaced || tenant.hasReleasedSessions) &&
    !tenant.keepsSessionOf(request) &&
    !isFromPeer(request.socket)
  )
    return relayToSuccessor(exchange)
  const path = pathOf(request.url ?? '/')
  if (path === '/health') serveHealth(exchange)
  else if (wantsPage(exchange, path)) void sendPage(exchange)
  else if (tenant.guard) tenant.guard(exchange, path, () => serve(exchange, path))
  else serve(exchange, path)
}

function serve(exchange: TenantExchange, path: string): void {
  const { server } = exchange.tenant
  if (server.forward && path !== server.ownPath) forward(exchange)
  else if (path === '/mcp') serveMcp(exchange)
  else refusePath(exchange, path)
}

/**
 * Forwards a request. A session lives in one program, so its requests go to that program's instance (proxy/program-sessions.ts).
 */
function forward(exchange: TenantExchange): void {
  const { server, peers } = exchange.tenant
  const forwardHere = () => void server.forward?.(exchange)
  if (!peers.relay?.(exchange, forwardHere)) forwardHere()
}

function serveHealth(exchange: TenantExchange): void {
  const { tenant, request } = exchange
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return sendProblem(exchange, 405, 'METHOD_NOT_ALLOWED', '/health accepts only GET and HEAD.', [
      'Allow',
      'GET, HEAD',
    ])
  const { server } = tenant
  if (server.isHealthy) void server.isHealthy().then(isHealthy => sendHealth(exchange, isHealthy))
  else sendHealth(exchange, true)
}

function sendHealth(exchange: TenantExchange, isHealthy: boolean): void {
  const { tenant } = exchange
  const { name, version } = tenant.server.info
  const status = isHealthy ? (tenant.isDraining ? 'draining' : 'ok') : 'unhealthy'
  const body = JSON.stringify({ status, server: name, version })
  sendJson(exchange, isHealthy ? 200 : 503, body, ['Cache-Control', 'no-store'])
}

function refusePath(exchange: TenantExchange, path: string): void {
  const message = `Nothing is served at ${path}. The MCP endpoint is ${exchange.tenant.config.url}.`
  sendProblem(exchange, 404, 'NOT_FOUND', message)
}

function sendProblem(
  exchange: TenantExchange,
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
