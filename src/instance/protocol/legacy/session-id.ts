import { MAX_SESSION_ID } from '../../../shared/instances/instance-protocol.ts'
import { LEGACY_REVISIONS, type LegacyRevision } from '../revisions.ts'

/** Loaded on first use, which saves a megabyte in other processes. */
const crypto = () => process.getBuiltinModule('node:crypto')
/** Same length as the random part of other ids (src/shared/ids.ts). */
const HANDLE_CHARACTERS = 20

/**
 * Session ids have the form `<instance>.<random>.<revision><issued>-<capabilities>-[<port>]-[<version>][-p].<mac>`. They are
 * unguessable, name the instance and the deployment that started the session, and are signed with the key that all instances of
 * an address share. An instance that never saw a session (because another one answered `initialize`, or a release happened) can
 * therefore verify the id and take the session over. Sessions of another server or environment get 404.
 */
export interface SessionClaim {
  revision: LegacyRevision
  /** Unix seconds. */
  issuedAt: number
  /**
   * Capabilities that determine what the client can be asked. An instance that takes the session over has not seen its
   * `initialize`.
   */
  capabilityBits: number
  /** Port where the instance that started the session accepts relayed requests. Absent without siblings. */
  peerPort?: number | undefined
  /** Deployment that started the session and keeps it through releases. Absent when the session moves with each release. */
  version?: string | undefined
  /** Session id of a program that creates its own. Replaces the random part. */
  inner?: string | undefined
}

/** Signing key. With sign-in, a session belongs to its user, so the key includes the user. */
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

/** Undefined when the id was not signed with this key. */
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

export function sessionInstance(id: string): string {
  return id.slice(0, id.indexOf('.'))
}

/** Unix seconds, unverified. NaN for an id without this part. */
export function sessionStart(id: string): number {
  return Number.parseInt(id.split('.', 3)[2]?.slice(1).split('-', 1)[0] ?? '', 36)
}

/** Handle that identifies the session in output for people. The full id would let a reader take the session over. */
export function sessionHandle(id: string): string {
  return `ses_${crypto().createHash('sha256').update(id).digest('hex').slice(0, HANDLE_CHARACTERS)}`
}

/** Deployment that started the session, unverified. Undefined when the id does not name one. */
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
