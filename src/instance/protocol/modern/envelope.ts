import { META } from '../../../shared/modern-envelope.ts'
import { isObject, RPC } from '../json-rpc.ts'
import { isLogLevel, LOG_LEVEL_NAMES } from '../log-level.ts'

/** True when a message names its protocol revision, which makes it modern. */
export function hasClaim(params: Record<string, unknown> | undefined): boolean {
  return isObject(params?._meta) && META.protocolVersion in params._meta
}

export interface EnvelopeProblem {
  code: typeof RPC.invalidParams
  message: string
  data: { field: string; problem: string }
}

/** First problem with a request's envelope. */
export function findEnvelopeProblem(meta: unknown): EnvelopeProblem | undefined {
  if (!isObject(meta)) return problem('_meta', 'is required')
  if (typeof meta[META.protocolVersion] !== 'string')
    return problem(META.protocolVersion, mustBe(meta, META.protocolVersion, 'a string'))
  if (!isObject(meta[META.clientCapabilities]))
    return problem(META.clientCapabilities, mustBe(meta, META.clientCapabilities, 'an object'))
  const info = meta[META.clientInfo]
  if (
    info !== undefined &&
    !(isObject(info) && typeof info.name === 'string' && typeof info.version === 'string')
  )
    return problem(META.clientInfo, 'must be an object with name and version')
  const level = meta[META.logLevel]
  if (level !== undefined && !isLogLevel(level))
    return problem(META.logLevel, `must be one of ${LOG_LEVEL_NAMES.join(', ')}`)
  const token = meta.progressToken
  if (token !== undefined && typeof token !== 'string' && typeof token !== 'number')
    return problem('progressToken', 'must be a string or a number')
  return undefined
}

function mustBe(meta: Record<string, unknown>, field: string, expected: string): string {
  return field in meta ? `must be ${expected}` : 'is required'
}

function problem(field: string, text: string): EnvelopeProblem {
  return {
    code: RPC.invalidParams,
    message: `Invalid params: "${field}" ${text} in a request of revision 2026-07-28`,
    data: { field, problem: text },
  }
}
