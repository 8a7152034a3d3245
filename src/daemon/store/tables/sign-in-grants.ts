import type { Database } from '../database.ts'

/** Access that a user granted to a client. Times are in Unix seconds. */
export interface StoredGrant {
  id: string
  clientId: string
  subject: string
  providerId: string
  scope: string[]
  signedInAt: number
  /** Generation of the refresh token, 0 for the first. Null if there is none. */
  generation: number | null
  /** Expiry of the refresh token. Null if there is none. */
  refreshUntil: number | null
}

/** Client of an authorization server. */
export interface StoredClient {
  id: string
  /** Its registration. Undefined for a client identified by a metadata document. */
  metadata: ClientMetadata | undefined
  grants: number
  /** Time of the newest sign-in. Null without a grant. */
  signedInAt: number | null
  /** Latest expiry of its refresh tokens. */
  refreshUntil: number | null
}

/** Part of what clients register (sdk/oauth/storage/records.ts). */
interface ClientMetadata {
  client_name?: string
  client_uri?: string
  redirect_uris: string[]
  registeredAt?: number
}

export interface GrantQuery {
  /** `<server>/<environment>` */
  address: string
  clientId?: string | undefined
  subject?: string | undefined
  now: number
  /** A grant without a refresh token has expired if the user signed in before this time. */
  signedInSince: number
  limit: number
  after?: { signedInAt: number; id: string } | undefined
}

const SIGNED_IN_AT = "json_extract(g.value, '$.signedInAt')"
const CLIENT_ID = "json_extract(g.value, '$.clientId')"

/** The indexes are small, because they include only records with a sign-in time or a client id. */
const INDEXES = [
  `CREATE INDEX IF NOT EXISTS oauth_records_by_sign_in
   ON oauth_records (kind, ${onRecord(SIGNED_IN_AT)}) WHERE ${onRecord(SIGNED_IN_AT)} IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS oauth_records_by_client
   ON oauth_records (kind, ${onRecord(CLIENT_ID)}) WHERE ${onRecord(CLIENT_ID)} IS NOT NULL`,
]

const GRANTS = `
SELECT g.key AS id, g.value, json_extract(f.value, '$.generation') AS generation, f.expires_at AS refresh_until
FROM oauth_records g
LEFT JOIN oauth_records f ON f.kind = @family AND f.key = g.key AND f.expires_at > @now
WHERE g.kind = @grant AND ${SIGNED_IN_AT} IS NOT NULL AND g.expires_at > @now
  AND (f.key IS NOT NULL OR ${SIGNED_IN_AT} > @signedInSince)
  AND (@clientId IS NULL OR ${CLIENT_ID} = @clientId)
  AND (@subject IS NULL OR json_extract(g.value, '$.subject') = @subject)
  AND (@at IS NULL OR (${SIGNED_IN_AT}, g.key) < (@at, @id))
ORDER BY ${SIGNED_IN_AT} DESC, g.key DESC LIMIT @limit`

const OWN_GRANTS = `
FROM oauth_records g LEFT JOIN oauth_records f ON f.kind = @family AND f.key = g.key AND f.expires_at > @now
WHERE g.kind = @grant AND ${CLIENT_ID} = ids.id AND ${CLIENT_ID} IS NOT NULL AND g.expires_at > @now
  AND (f.key IS NOT NULL OR ${SIGNED_IN_AT} > @signedInSince)`

const CLIENTS = `
WITH ids AS (
  SELECT key AS id FROM oauth_records
  WHERE kind IN (@client, @newClient) AND (expires_at IS NULL OR expires_at > @now)
  UNION
  SELECT ${CLIENT_ID} FROM oauth_records g
  WHERE g.kind = @grant AND ${CLIENT_ID} IS NOT NULL AND g.expires_at > @now
)
SELECT ids.id,
  coalesce(
    (SELECT value FROM oauth_records WHERE kind = @client AND key = ids.id),
    (SELECT value FROM oauth_records WHERE kind = @newClient AND key = ids.id)
  ) AS value,
  (SELECT count(*) ${OWN_GRANTS}) AS grants,
  (SELECT max(${SIGNED_IN_AT}) ${OWN_GRANTS}) AS signed_in_at,
  (SELECT max(f.expires_at) ${OWN_GRANTS}) AS refresh_until
FROM ids WHERE ids.id > @after AND (value IS NOT NULL OR grants > 0) ORDER BY ids.id LIMIT @limit`

/** Clients and grants in the records of authorization servers. The first of these servers creates the table. */
export class SignInGrantStore {
  readonly #database: Database
  #isIndexed = false

  constructor(database: Database) {
    this.#database = database
  }

  /** Newest first. Omits grants whose tokens have all expired. */
  list({ address, after, limit, ...query }: GrantQuery): StoredGrant[] {
    if (!this.#prepare()) return []
    const rows = this.#database.prepare<GrantRow>(GRANTS).all({
      clientId: null,
      subject: null,
      ...query,
      ...kindsOf(address),
      at: after?.signedInAt ?? null,
      id: after?.id ?? '',
      limit,
    })
    return rows.map(toGrant)
  }

  /** Sorted by id. */
  clients({
    address,
    after = '',
    ...query
  }: Pick<GrantQuery, 'address' | 'limit' | 'now' | 'signedInSince'> & { after?: string }): StoredClient[] {
    if (!this.#prepare()) return []
    const rows = this.#database.prepare<ClientRow>(CLIENTS).all({ ...query, ...kindsOf(address), after })
    return rows.map(({ id, value, grants, signed_in_at, refresh_until }) => ({
      id,
      metadata: value === null ? undefined : JSON.parse(value),
      grants,
      signedInAt: signed_in_at,
      refreshUntil: refresh_until,
    }))
  }

  /** Undefined for a client without a registration or a name. */
  clientName(address: string, clientId: string): string | undefined {
    const { client } = kindsOf(address)
    const sql = "SELECT json_extract(value, '$.client_name') FROM oauth_records WHERE kind = ? AND key = ?"
    return this.#database.values<string | null>(sql, [client, clientId])[0] ?? undefined
  }

  /** Revokes a grant with its tokens, and remembers its id until `until`. Returns undefined if there is no such grant. */
  revoke(address: string, id: string, until: number): Pick<StoredGrant, 'clientId' | 'subject'> | undefined {
    if (!this.#prepare()) return undefined
    return this.#database.transaction(() => {
      const kinds = kindsOf(address)
      const row = this.#database
        .prepare<{ value: string }>('SELECT value FROM oauth_records WHERE kind = ? AND key = ?')
        .get([kinds.grant, id])
      if (!row) return undefined
      this.#put(kinds.revoked, id, until)
      for (const kind of [kinds.grant, kinds.family]) this.#delete(kind, id)
      const { clientId, subject } = JSON.parse(row.value) as StoredGrant
      return { clientId, subject }
    })
  }

  /** Removes a client and revokes its grants. Returns the ids of the grants, or undefined if there is no such client. */
  removeClient(address: string, clientId: string, until: number): string[] | undefined {
    if (!this.#prepare()) return undefined
    return this.#database.transaction(() => {
      const kinds = kindsOf(address)
      const sql = `SELECT g.key FROM oauth_records g WHERE g.kind = ? AND ${CLIENT_ID} = ? AND ${CLIENT_ID} IS NOT NULL`
      const grants = this.#database.values<string>(sql, [kinds.grant, clientId])
      for (const id of grants) this.revoke(address, id, until)
      const removed = [kinds.client, kinds.newClient].map(kind => this.#delete(kind, clientId))
      return grants.length > 0 || removed.some(Boolean) ? grants : undefined
    })
  }

  #put(kind: string, key: string, until: number): void {
    this.#database
      .prepare("INSERT OR REPLACE INTO oauth_records (kind, key, value, expires_at) VALUES (?, ?, '{}', ?)")
      .run([kind, key, until])
  }

  #delete(kind: string, key: string): boolean {
    return this.#database.prepare('DELETE FROM oauth_records WHERE kind = ? AND key = ?').run([kind, key]) > 0
  }

  /** Creates the indexes when they are first needed. Returns false until an authorization server has created the table. */
  #prepare(): boolean {
    if (this.#isIndexed) return true
    const sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'oauth_records'"
    if (!this.#database.prepare(sql).get()) return false
    for (const index of INDEXES) this.#database.prepare(index).run()
    this.#isIndexed = true
    return true
  }
}

interface GrantRow {
  id: string
  value: string
  generation: number | null
  refresh_until: number | null
}

interface ClientRow {
  id: string
  value: string | null
  grants: number
  signed_in_at: number | null
  refresh_until: number | null
}

function kindsOf(address: string) {
  return {
    grant: `${address} grant`,
    family: `${address} refresh-family`,
    revoked: `${address} revoked`,
    client: `${address} client`,
    newClient: `${address} new-client`,
  }
}

/** Leaves out the sealed account at the identity provider. */
function toGrant({ id, value, generation, refresh_until }: GrantRow): StoredGrant {
  const { clientId, subject, providerId, scope, signedInAt } = JSON.parse(value) as StoredGrant
  return { id, clientId, subject, providerId, scope, signedInAt, generation, refreshUntil: refresh_until }
}

/** The expression of an index, which must not name a table. */
function onRecord(expression: string): string {
  return expression.replace('g.', '')
}
