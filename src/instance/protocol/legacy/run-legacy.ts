import { sendEmpty, sendJson } from '../../http/responses.ts'
import type { TenantExchange } from '../../tenant/served-tenant.ts'
import { RPC, RpcError } from '../json-rpc.ts'
import { type MethodResult, missingMethod } from '../methods.ts'
import type { Run } from '../run.ts'
import { cancelRun, runRequest } from '../run-request.ts'
import type { Session } from './session.ts'
import { findSessionMethod } from './session-methods.ts'

/** Runs a request in a session and registers it for `notifications/cancelled`. */
export function runLegacy(run: Run, session: Session): void {
  const { request, exchange } = run
  const method = findSessionMethod(exchange.tenant, session, request.method)
  const running = { id: request.id, cancel: () => cancelRun(run) }
  run.onSettled = () => session.running.delete(running)
  session.requests++
  runRequest(run, method ?? missingMethod, () => session.running.add(running))
}

/** Converts an error. Revisions up to 2025-11-25 have a separate code for "resource not found". */
export function legacyError(error: RpcError, method: string): RpcError {
  const isNotFound =
    method.startsWith('resources/') && error.code === RPC.invalidParams && error.data !== undefined
  return isNotFound ? new RpcError(RPC.resourceNotFound, error.message, error.data) : error
}

export function legacyResult({ members, meta }: MethodResult): string {
  if (meta === undefined) return members
  return `${members}${members && ','}"_meta":${JSON.stringify(meta)}`
}

export function sendJsonAnswer(exchange: TenantExchange, body: string | undefined): number {
  if (body !== undefined) return sendJson(exchange, 200, body)
  // A cancelled request gets an empty response instead of an answer (2025-11-25 cancellation).
  sendEmpty(exchange, 202)
  return 0
}
