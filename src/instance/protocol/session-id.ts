import { MAX_SESSION_ID } from '../../shared/instance-protocol.ts'
import { LEGACY_REVISIONS, type LegacyRevision } from './revisions.ts'

/** Loaded when the first session begins: a process without one saves a megabyte. */
const crypto = () => process.getBuiltinModule('node:crypto')

/**
 * Session ids `<instance>.<random>.<revision><issued>-<capabilities>-[<port>]-[<version>][-p].<mac>`: unguessable, naming the instance and the deployment that began
 * them, and signed with the key that all instances of one address share. So an instance that never saw a session (another one answered
 * `initialize`, or this one was asleep) can tell a session of its address from an invented one and take it over, also
 * after a release; a session of another server or environment is 404.
 */
export interface SessionClaim {
  revision: LegacyRevision
  /** Unix seconds. */
  issuedAt: number
  /** What the client can be asked: whoever takes the session over has not seen its `initialize`. */
  capabilityBits: number
  /** Where the instance that began it takes requests of other instances; absent when it has no siblings. */
  peerPort?: number | undefined
  /** The deployment that began it: the session stays there through releases. Absent when it moves with each. */
  version?: string | undefined
  /** What a program that makes its own ids calls the session: it stands in the place of the random part. */
  inner?: string | undefined
}

/** What ids are signed with: where users sign in, a session belongs to its user, and is unknown to every other one. */
export function sessionKey(key: Buffer, owner: string | undefined): Buffer {
  return owner === undefined ? key : crypto().createHmac('sha256', key).update(`owner\n${owner}`).digest()
}

export function createSessionId(instanceId: string, claim: SessionClaim, key: Buffer): string {
  const revision = LEGACY_REVISIONS.indexOf(claim.revision)
  const facts = `${revision}${claim.issuedAt.toString(36)}-${claim.capabilityBits.toString(36)}-${peerPart(claim.peerPort)}-${claim.version ?? ''}${claim.inner === undefined ? '' : '-p'}`
  const unique = claim.inner === undefined ? crypto().randomBytes(16) : Buffer.from(claim.inner)
  const body = `${instanceId}.${unique.toString('base64url')}.${facts}`
  return `${body}.${sign(body, key)}`
}

/** Undefined when the id was not issued under this key. */
export function readSessionId(id: string, key: Buffer): SessionClaim | undefined {
  const end = id.lastIndexOf('.')
  if (end < 0 || id.length > MAX_SESSION_ID) return undefined
  const body = id.slice(0, end)
  if (!sameText(id.slice(end + 1), sign(body, key))) return undefined
  const claim = body.slice(body.lastIndexOf('.') + 1)
  const revision = LEGACY_REVISIONS[Number(claim[0])]
  const [issued = '', bits = '', peer = '', version = '', mark] = claim.slice(1).split('-')
  return (
    revision && {
      revision,
      issuedAt: Number.parseInt(issued, 36),
      capabilityBits: Number.parseInt(bits, 36) || 0,
      peerPort: peer === '' ? undefined : Number.parseInt(peer, 36),
      version: version === '' ? undefined : version,
      inner: mark === 'p' ? Buffer.from(body.split('.')[1]!, 'base64url').toString() : undefined,
    }
  )
}

/** The instance that began the session. */
export function sessionInstance(id: string): string {
  return id.slice(0, id.indexOf('.'))
}

/** The deployment that began the session, as the id says it, unverified; undefined when it says none. */
export function sessionVersion(id: string): string | undefined {
  return id.split('.', 3)[2]?.split('-', 4)[3] || undefined
}

function peerPart(port: number | undefined): string {
  return port === undefined ? '' : port.toString(36)
}

function sign(body: string, key: Buffer): string {
  return crypto().createHmac('sha256', key).update(body).digest().subarray(0, 16).toString('base64url')
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && crypto().timingSafeEqual(left, right)
}
