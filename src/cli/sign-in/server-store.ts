import { writeFileAtomic } from '../../shared/atomic-file.ts'
import { readJsonFile } from '../json-file.ts'

/** What a user's sign-in to one MCP server gave. */
export interface ServerSession {
  /** Of the authorization server; everything else is of it alone. */
  issuer: string
  client: ServerClient
  /** As tokens name the server (RFC 8707). */
  resource?: string
  accessToken?: string
  /** Unix seconds; absent: the server did not tell. */
  expiresAt?: number
  refreshToken?: string
  scope?: string
}

/** What the server knows this program by. */
export interface ServerClient {
  client_id: string
  client_secret?: string
  /** How it sends its secret; absent: as the server's metadata say. */
  token_endpoint_auth_method?: string
  redirect_uris?: string[]
}

interface Content {
  servers?: Record<string, ServerSession>
}

/** The sign-in to the server at `url`; undefined when there is none. */
export function readServerSession(file: string, url: string): ServerSession | undefined {
  return (readJsonFile(file) as Content | undefined)?.servers?.[url]
}

/** Undefined forgets it. The file has mode 0600. */
export function saveServerSession(file: string, url: string, session: ServerSession | undefined): void {
  const { [url]: _, ...others } = (readJsonFile(file) as Content | undefined)?.servers ?? {}
  const servers = session ? { ...others, [url]: session } : others
  writeFileAtomic(file, `${JSON.stringify({ servers }, null, 2)}\n`, 0o600)
}
