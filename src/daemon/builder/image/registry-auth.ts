import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { HostingError } from '../../../shared/errors.ts'
import { credentialKeys } from './repository-address.ts'

export interface Credentials {
  username: string
  password: string
}

interface DockerConfig {
  auths?: Record<string, { auth?: string }>
  credsStore?: string
  credHelpers?: Record<string, string>
}

/** Parsed `WWW-Authenticate` of a registry (https://distribution.github.io/distribution/spec/auth/token/). */
export type Challenge =
  | { scheme: 'basic' }
  | { scheme: 'bearer'; realm: string; service: string | undefined; scope: string | undefined }

/** Finds the credentials of a registry that `docker login` or `podman login` stored. */
export async function findCredentials(
  configPath: string,
  registry: string,
): Promise<Credentials | undefined> {
  const config = readConfig(configPath)
  const keys = credentialKeys(registry)
  const helper = keys.map(key => config.credHelpers?.[key]).find(name => name) ?? config.credsStore
  if (helper) return askHelper(helper, keys[0]!)
  const auth = keys.map(key => config.auths?.[key]?.auth).find(text => text)
  if (!auth) return undefined
  const plain = Buffer.from(auth, 'base64').toString()
  const colon = plain.indexOf(':')
  return { username: plain.slice(0, colon), password: plain.slice(colon + 1) }
}

/** Undefined for an unknown scheme. */
export function parseChallenge(header: string | undefined): Challenge | undefined {
  if (/^basic\b/i.test(header ?? '')) return { scheme: 'basic' }
  if (!/^bearer\b/i.test(header ?? '')) return undefined
  const fields = new Map(
    [...header!.matchAll(/([a-z]+)="([^"]*)"/gi)].map(([, name, value]) => [name!.toLowerCase(), value!]),
  )
  const realm = fields.get('realm')
  return realm
    ? { scheme: 'bearer', realm, service: fields.get('service'), scope: fields.get('scope') }
    : undefined
}

export function basicAuthorization({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** Drops V8's message for invalid JSON, because it quotes the text, which may be a password. */
function readConfig(path: string): DockerConfig {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as DockerConfig
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    const why = error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message
    throw new HostingError('INVALID_REQUEST', `${path} cannot be read: ${why}.`)
  }
}

/** https://github.com/docker/docker-credential-helpers: the registry on standard input, JSON on standard output. */
async function askHelper(helper: string, registry: string): Promise<Credentials | undefined> {
  if (!/^[\w.-]+$/.test(helper))
    throw new HostingError('INVALID_REQUEST', `"${helper}" is not the name of a credential helper.`)
  const child = spawn(`docker-credential-${helper}`, ['get'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: 30_000,
  })
  child.stdin.on('error', () => {}) // the helper exited without reading its input, but its output is enough
  child.stdin.end(registry)
  const ended = new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  )
  try {
    const [output, code] = await Promise.all([text(child.stdout), ended])
    if (code !== 0) return undefined
    const { Username, Secret } = JSON.parse(output) as { Username: string; Secret: string }
    return { username: Username, password: Secret }
  } catch (error) {
    const why = error instanceof SyntaxError ? 'its output is not JSON' : (error as Error).message
    throw new HostingError('UNAVAILABLE', `docker-credential-${helper} failed: ${why}.`)
  }
}
