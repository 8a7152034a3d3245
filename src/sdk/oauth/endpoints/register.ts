import type { Component, Endpoint } from '../component.ts'
import { readJsonObject } from '../http/request-body.ts'
import { jsonResponse } from '../http/responses.ts'
import { OAuthError } from '../oauth-error.ts'
import { readRegistration } from '../rules/registration.ts'
import { hashToken, randomId, randomToken } from '../secrets.ts'
import type { Client } from '../storage/records.ts'

const MAX_BODY_BYTES = 16 * 1024
/** Clients without a sign-in are removed after a day. */
const UNUSED_TTL_SECONDS = 24 * 3600
const MAX_UNUSED_CLIENTS = 10_000
/** Lifetime while at least half of the maximum number exists, so that a flood does not block other clients for a day. */
const CROWDED_TTL_SECONDS = 3600

/** POST register (RFC 7591 3). Public, so rate, size and number of unused clients are limited. */
export const register: Endpoint = async (component, request, { clientAddress = '' }) => {
  const ttlSeconds = await requireCapacity(component, clientAddress)
  const body = await readJsonObject(request, MAX_BODY_BYTES)
  const metadata = readRegistration(body, { refreshTokens: component.refreshTokenTTL !== undefined })
  const secret = metadata.token_endpoint_auth_method === 'none' ? undefined : randomToken()
  const issuedAt = component.now()
  const client: Client = {
    ...metadata,
    client_id: randomId(),
    origin: 'registered',
    registeredAt: issuedAt,
    ...(secret !== undefined && { secretHash: hashToken(secret) }),
  }
  await component.storage.put('new-client', client.client_id, client, issuedAt + ttlSeconds)
  const answer = {
    client_id: client.client_id,
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
    client_id_issued_at: issuedAt,
    ...metadata,
  }
  return jsonResponse(answer, { status: 201 })
}

/** Returns the lifetime of an unused client. Throws at the limit of the client address, and at the maximum of unused clients. */
async function requireCapacity(
  { registrations, storage, now }: Component,
  clientAddress: string,
): Promise<number> {
  const waitSeconds = registrations.waitSeconds(clientAddress, now())
  if (waitSeconds > 0) throw tooManyClients(waitSeconds)
  const unused = await storage.count('new-client')
  if (unused >= MAX_UNUSED_CLIENTS) throw tooManyClients(CROWDED_TTL_SECONDS)
  return unused < MAX_UNUSED_CLIENTS / 2 ? UNUSED_TTL_SECONDS : CROWDED_TTL_SECONDS
}

function tooManyClients(waitSeconds: number): OAuthError {
  return new OAuthError('temporarily_unavailable', 'Too many clients were registered. Try again later.', {
    status: 429,
    headers: { 'Retry-After': String(waitSeconds) },
  })
}
