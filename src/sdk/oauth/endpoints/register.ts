import type { Component, Endpoint } from '../component.ts'
import { readJsonObject } from '../http/request-body.ts'
import { jsonResponse } from '../http/responses.ts'
import { OAuthError } from '../oauth-error.ts'
import { readRegistration } from '../rules/registration.ts'
import { hashToken, randomToken } from '../secrets.ts'
import type { Client } from '../storage/records.ts'

const MAX_BODY_BYTES = 16 * 1024
/** A client that nobody signed in with is forgotten after a day, and there are only so many of them. */
const UNUSED_TTL_SECONDS = 24 * 3600
const MAX_UNUSED_CLIENTS = 10_000

/** POST register (RFC 7591 3). Anybody may send it, so how often, how much and how many is limited. */
export const register: Endpoint = async (component, request, { clientAddress = '' }) => {
  await requireRoom(component, clientAddress)
  const body = await readJsonObject(request, MAX_BODY_BYTES)
  const metadata = readRegistration(body, { refreshTokens: component.refreshTokenTTL !== undefined })
  const secret = metadata.token_endpoint_auth_method === 'none' ? undefined : randomToken()
  const issuedAt = component.now()
  const client: Client = {
    ...metadata,
    client_id: randomToken(16),
    origin: 'registered',
    ...(secret !== undefined && { secretHash: hashToken(secret) }),
  }
  await component.storage.put('new-client', client.client_id, client, issuedAt + UNUSED_TTL_SECONDS)
  const answer = {
    client_id: client.client_id,
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
    client_id_issued_at: issuedAt,
    ...metadata,
  }
  return jsonResponse(answer, { status: 201 })
}

async function requireRoom({ registrations, storage, now }: Component, clientAddress: string): Promise<void> {
  const waitSeconds = registrations.waitSeconds(clientAddress, now())
  if (waitSeconds > 0) throw tooMany(waitSeconds)
  if ((await storage.count('new-client')) >= MAX_UNUSED_CLIENTS) throw tooMany(3600)
}

function tooMany(waitSeconds: number): OAuthError {
  return new OAuthError('temporarily_unavailable', 'Too many clients were registered; try again later.', {
    status: 429,
    headers: { 'Retry-After': String(waitSeconds) },
  })
}
