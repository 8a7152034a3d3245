import { META, MODERN_REVISIONS } from '../../shared/modern-envelope.ts'
import { LegacySession, SessionEndedError } from './legacy-session.ts'
import { isObject, McpError, type McpRequest, type Params } from './messages.ts'
import { requestModern } from './modern-session.ts'
import type { Endpoint } from './protocol.ts'

/** `modern`: protocol 2026-07-28, where every request is complete. `legacy`: the sessions of earlier revisions. */
export type Era = 'modern' | 'legacy'

/** A server that answered the handshake or discovery. */
export interface McpConnection {
  era: Era
  version: string
  name: string | undefined
  instructions: string | undefined
  capabilities: Params
  /** Throws McpError with the server's own message, SignInRequiredError or HostingError. */
  request(request: McpRequest): Promise<Params>
  close(): void
}

/** Connects in the newest era that the server speaks, or in the given one. */
export async function connect(
  endpoint: Endpoint,
  { era, signal }: { era?: Era | undefined; signal: AbortSignal },
): Promise<McpConnection> {
  if (era === 'legacy') return connectLegacy(endpoint, signal)
  try {
    return await connectModern(endpoint, signal)
  } catch (error) {
    // A server of the legacy era refuses the method or the revision.
    if (era === 'modern' || !(error instanceof McpError)) throw error
    return connectLegacy(endpoint, signal)
  }
}

async function connectModern(endpoint: Endpoint, signal: AbortSignal): Promise<McpConnection> {
  const facts = await requestModern(endpoint, { method: 'server/discover', signal })
  const version = MODERN_REVISIONS.find(one => listOf(facts.supportedVersions).includes(one))
  if (!version) throw new McpError({ message: `The server does not support ${MODERN_REVISIONS[0]}.` })
  const server = isObject(facts._meta) ? facts._meta[META.serverInfo] : undefined
  return {
    era: 'modern',
    version,
    ...describe(facts, server),
    request: request => requestModern(endpoint, request),
    close() {},
  }
}

async function connectLegacy(endpoint: Endpoint, signal: AbortSignal): Promise<McpConnection> {
  let session = await LegacySession.open(endpoint, signal)
  const { facts } = session
  const request = async (sent: McpRequest) => {
    try {
      return await session.request(sent)
    } catch (error) {
      if (!(error instanceof SessionEndedError)) throw error
      // The specification requires a new session here (2025-11-25 transports, "Session Management").
      session.close()
      session = await LegacySession.open(endpoint, sent.signal)
      return session.request(sent)
    }
  }
  return {
    era: 'legacy',
    version: String(facts.protocolVersion),
    ...describe(facts, facts.serverInfo),
    request,
    close: () => session.close(),
  }
}

function describe(facts: Params, server: unknown) {
  const { title, name, version } = isObject(server) ? server : {}
  const names = [title ?? name, version].filter(text => typeof text === 'string')
  return {
    name: names.length > 0 ? names.join(' ') : undefined,
    instructions: typeof facts.instructions === 'string' ? facts.instructions : undefined,
    capabilities: isObject(facts.capabilities) ? facts.capabilities : {},
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
