/** Loaded with the first state: a process without one saves a megabyte. */
const crypto = () => process.getBuiltinModule('node:crypto')

/** How long a client may take to answer: URL elicitation sends people through other sites. */
const LIFETIME_SECONDS = 3600
const MAC_BYTES = 32

/** What a call remembers from one try to the next (2026-07-28, MRTR): it travels through the client. */
export interface CallState {
  /** Answers given so far, by key, with the method that was asked. */
  answers: Record<string, { method: string; answer: Record<string, unknown> }>
  /** Of a handler that asks by `InputRequired`. */
  own?: unknown
}

/**
 * Signs a state with the deployment's key and binds it to the request it belongs to, so that a client can neither change it
 * nor use it for another call. Not encrypted: it holds what the client itself answered.
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

/** Undefined when the state was not made for this request, or too long ago. */
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

/** What may differ between two tries of the same call. */
const VARYING = new Set(['_meta', 'inputResponses', 'requestState'])

function mac(body: string, { method, params = {} }: StatefulRequest, key: Buffer): Buffer {
  const fixed = Object.entries(params).filter(([name]) => !VARYING.has(name))
  return crypto()
    .createHmac('sha256', key)
    .update('request-state\n')
    .update(`${method}\n${canonicalJson(Object.fromEntries(fixed))}\n`)
    .update(body)
    .digest()
}

/** Clients may write the members in another order the second time. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
