import { writeFileAtomic } from '../../shared/atomic-file.ts'
import { readJsonFile } from '../project/json-file.ts'

/** Saved sign-in to one MCP server. */
export interface ServerSession {
  /** Issuer of the authorization server that all other fields belong to. */
  issuer: string
  client: ServerClient
  /** Identifier of the server in tokens (RFC 8707). */
  resource?: string
  accessToken?: string
  /** Unix time in seconds. Undefined when the server reported no expiry. */
  expiresAt?: number
  refreshToken?: string
  scope?: string
}

/** Client of this program at the authorization server. */
export interface ServerClient {
  client_id: string
  client_secret?: string
  /** How the client sends its secret. Defaults to a method in the server's metadata. */
  token_endpoint_auth_method?: string
  redirect_uris?: string[]
}

interface Content {
  servers?: Record<string, ServerSession>
}

/** Sign-in to the server at `url`, if there is one. */
export function readServerSession(file: string, url: string): ServerSession | undefined {
  return (readJsonFile(file) as Content | undefined)?.servers?.[url]
}

/** Removes the sign-in when `session` is undefined. The file has mode 0600. */
export function saveServerSession(file: string, url: string, session: ServerSession | undefined): void {
  const { [url]: _, ...others } = (readJsonFile(file) as Content | undefined)?.servers ?? {}
  const servers = session ? { ...others, [url]: session } : others
  writeFileAtomic(file, `${JSON.stringify({ servers }, null, 2)}\n`, 0o600)
}
