/** Loaded on first use, which saves a megabyte in other processes. */
const crypto = () => process.getBuiltinModule('node:crypto')

/** Time limit for an answer. Long, because URL elicitation may send a person through other sites. */
const LIFETIME_SECONDS = 3600
const MAC_BYTES = 32

/** State that a call keeps between attempts. It is passed through the client (2026-07-28, MRTR). */
export interface CallState {
  /** Answers so far, by key, with the method of the question. */
  answers: Record<string, { method: string; answer: Record<string, unknown> }>
  /** State of a handler that throws `InputRequired`. */
  own?: unknown
}

/**
 * Signs a state with the key of the address and binds it to its request, so that a client can neither change it nor use it for
 * another call. Not encrypted, so the client can read it, including the state of a handler.
 */
export function signState(
  state: CallState,
  request: StatefulRequest,
  key: Buffer,
  nowMs = Date.now(),
): string {
  const expires = Math.floor(nowMs / 1000) + LIFETIME_SECONDS
  const body = Buffer.from(JSON.stringify({ ...state, expires })).toString('base64url')
  return `${body}.${mac(body, request, key).toString('base64url')}`
}

/** Undefined when the state was not signed for this request, or has expired. */
export function readState(
  text: string,
  request: StatefulRequest,
  key: Buffer,
  nowMs = Date.now(),
): CallState | undefined {
  const [body = '', signature = ''] = text.split('.', 2)
  const given = Buffer.from(signature, 'base64url')
  const isOurs =
    text === `${body}.${given.toString('base64url')}` &&
    given.length === MAC_BYTES &&
    crypto().timingSafeEqual(given, mac(body, request, key))
  if (!isOurs) return undefined
  const { expires, ...state } = JSON.parse(Buffer.from(body, 'base64url').toString())
  return expires * 1000 > nowMs ? state : undefined
}

export interface StatefulRequest {
  method: string
  params?: Record<string, unknown>
}

/** Members that may differ between two attempts of a call. */
const VARYING_MEMBERS = new Set(['_meta', 'inputResponses', 'requestState'])

function mac(body: string, { method, params = {} }: StatefulRequest, key: Buffer): Buffer {
  const fixed = Object.entries(params).filter(([name]) => !VARYING_MEMBERS.has(name))
  return crypto()
    .createHmac('sha256', key)
    .update('request-state\n')
    .update(`${method}\n${canonicalJson(Object.fromEntries(fixed))}\n`)
    .update(body)
    .digest()
}

/** JSON text with sorted members, because clients may reorder them in a later attempt. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
