import { header } from '../../http/headers.ts'
import type { HttpExchange } from '../../http/http-exchange.ts'
import { refuse } from '../../http/responses.ts'
import type { TenantExchange } from '../../tenant/served-tenant.ts'
import { RPC } from '../json-rpc.ts'
import { isLegacyRevision, LEGACY_REVISIONS } from '../revisions.ts'
import type { Session } from './session.ts'

/** Returns the session of a request with valid headers, or refuses the request. */
export function requireSession(exchange: TenantExchange): Session | undefined {
  const { request, tenant } = exchange
  const id = header(request, 'mcp-session-id')
  const revision = header(request, 'mcp-protocol-version')
  const session = id === undefined ? undefined : tenant.sessions.find(id, exchange.caller?.subject)
  if (session && (revision === undefined || isLegacyRevision(revision))) return session
  if (session)
    refuse(exchange, 400, {
      code: RPC.refused,
      message: `Unsupported protocol version ${JSON.stringify(revision)}. Supported: ${LEGACY_REVISIONS.join(', ')}.`,
    })
  else if (id === undefined)
    refuse(exchange, 400, {
      code: RPC.refused,
      message: 'The header Mcp-Session-Id is required. The answer to initialize contains it.',
    })
  else refuseSession(exchange)
  return undefined
}

/** Answers with 404, which makes the client start a new session (2025-11-25 transports, "Session Management"). */
export function refuseSession(exchange: HttpExchange): void {
  refuse(exchange, 404, { code: RPC.sessionNotFound, message: 'Session not found. Send initialize again.' })
}
