import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Artifact } from '../../shared/definitions/artifact.ts'
import type { FromInstance, Tenant } from '../../shared/instances/instance-protocol.ts'
import { Host } from '../host/host.ts'
import { prepare } from '../server/prepare.ts'
import { FileState } from './file-state.ts'

const TENANT_ID = 'standalone'
const DEFAULT_PORT = 8080
const KEY_BYTES = 32
/** Variables that a program gets in addition to its declared ones. */
const PASSED_VARIABLES = [
  'PATH',
  'LANG',
  'LC_ALL',
  'TZ',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
]
/** Time that open connections get to close after SIGTERM. */
const DRAIN_TIMEOUT_MS = 10_000

/** `bundle` is the code of the handler modules, if any. */
export interface StandaloneCode {
  artifact: Artifact
  bundle?: string | undefined
  /** Folder of a program's packages and source. Defaults to the working folder. */
  folder?: string
}

/**
 * Serves one artifact without a daemon, with the same HTTP and protocol layers, until SIGTERM or SIGINT. Environment: `PORT`,
 * `HOST`, `ALLOWED_HOSTS` and `ALLOWED_ORIGINS` (comma-separated), `LOG_LEVEL`, `RECORD_BODIES`, `ALLOW_PRIVATE_NETWORK`,
 * `STATE_KEY` (at least 32 random bytes in base64, shared by all copies), `DATA_DIR` (for handler modules, `data` next to the
 * server by default) and the variables that the artifact declares.
 */
export async function runStandalone(
  { artifact, bundle, folder = '.' }: StandaloneCode,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  try {
    const server = await listen(parsePort(env.PORT), env.HOST || '127.0.0.1')
    const tenant = createTenant(artifact, env, server)
    const { program } = artifact
    if (program?.type === 'stdio' || program?.type === 'http')
      tenant.program = programFolders(program, env, folder)
    const data = env.DATA_DIR || join(folder, 'data')
    if (program?.type === 'module') tenant.state = { server: artifact.server.name, slot: 'standalone' }
    const host = await serve(server, { artifact, bundle, data }, tenant)
    process.stdout.write(`${JSON.stringify({ server: artifact.server.name, url: tenant.url })}\n`)
    stopOnSignal(server, host)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(1)
  }
}

function parsePort(text: string | undefined): number {
  const port = Number(text || DEFAULT_PORT)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new Error(`PORT is "${text}". It must be from 0 to 65535, where 0 picks a free port.`)
}

function listen(port: number, hostname: string): Promise<Server> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', error =>
      reject(new Error(`PORT ${port} cannot be used: ${error.message}. Check PORT and HOST.`)),
    )
    server.listen(port, hostname, () => resolve(server))
  })
}

function createTenant(artifact: Artifact, env: NodeJS.ProcessEnv, server: Server): Tenant {
  const { port } = server.address() as { port: number }
  const local = ['127.0.0.1', 'localhost', '[::1]'].map(name => `${name}:${port}`)
  return {
    id: TENANT_ID,
    serverName: artifact.server.name,
    url: `http://127.0.0.1:${port}/mcp`,
    allowedHosts: [...local, ...listOf(env.ALLOWED_HOSTS).map(host => host.toLowerCase())],
    allowedOrigins: listOf(env.ALLOWED_ORIGINS),
    env: declaredValues(artifact, env),
    allowPrivateNetwork: /^(1|true)$/i.test(env.ALLOW_PRIVATE_NETWORK ?? ''),
    logLevel: env.LOG_LEVEL === 'debug' ? 'debug' : 'info',
    ...(env.RECORD_BODIES && { recordsBodies: /^(1|true)$/i.test(env.RECORD_BODIES) }),
    stateKey: stateKeyOf(env.STATE_KEY),
  }
}

/** Folders of a program. In an image, only the folder for temporary files and a mounted DATA_DIR are writable. */
function programFolders(
  { source }: { source?: string },
  env: NodeJS.ProcessEnv,
  folder: string,
): NonNullable<Tenant['program']> {
  const passed = PASSED_VARIABLES.flatMap(name => (env[name] ? [[name, env[name]] as const] : []))
  return {
    folder: join(tmpdir(), 'mcp-program'),
    ...(env.DATA_DIR && { data: env.DATA_DIR }),
    packages: join(folder, 'packages'),
    hidden: [],
    ...(source !== undefined && { source: join(folder, 'source') }),
    env: Object.fromEntries(passed),
  }
}

/** Key that signs session ids and `requestState`. A client that knew the key could forge them. */
function stateKeyOf(text: string | undefined): string {
  if (!text) return randomBytes(KEY_BYTES).toString('base64')
  const { length } = Buffer.from(text, 'base64')
  if (length >= KEY_BYTES) return text
  throw new Error(
    `STATE_KEY holds ${length} bytes. It must be at least ${KEY_BYTES} random bytes in base64 (openssl rand -base64 ${KEY_BYTES}).`,
  )
}

function listOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map(one => one.trim())
    .filter(Boolean)
}

/** Values of the declared variables only, so that templates cannot read the rest of the environment. */
function declaredValues(artifact: Artifact, env: NodeJS.ProcessEnv): Record<string, string> {
  // A Map, because a name may be a property of every object, such as "constructor".
  const given = new Map(Object.entries(env))
  const missing = artifact.env.filter(
    one => one.required && !given.get(one.name) && one.default === undefined,
  )
  if (missing.length > 0)
    throw new Error(
      `Missing environment variables: ${missing
        .map(({ name, description }) => (description ? `${name} (${description})` : name))
        .join(', ')}. Set them and start the server again.`,
    )
  const values = artifact.env.map(({ name, default: fallback }) => [name, given.get(name) ?? fallback])
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

/** Passes every connection to a host, as instances do. Rejects when the artifact cannot be served. */
function serve(
  server: Server,
  { artifact, bundle, data }: Omit<StandaloneCode, 'folder'> & { data: string },
  tenant: Tenant,
): Promise<Host> {
  const state = tenant.state && new FileState(join(data, 'store.ndjson'))
  return new Promise((resolve, reject) => {
    const host: Host = new Host(prepare, (message: FromInstance) => {
      if (message.type === 'failed') reject(new Error(message.message))
      if (message.type === 'serving') resolve(host)
      if (message.type === 'store')
        void state
          ?.run(message.operations)
          .then(results => host.receiveStored({ type: 'stored', tenantId: TENANT_ID, results }))
      if (message.type === 'drained') void host.close().then(() => process.exit(0))
    })
    let seq = 0
    server.on('connection', socket =>
      host.connect({ type: 'connection', tenantId: TENANT_ID, seq: seq++ }, socket),
    )
    host.serve({ type: 'serve', tenant, artifact, bundle, instanceId: `${TENANT_ID}-${process.pid}` })
  })
}

function stopOnSignal(server: Server, host: Host): void {
  const end = () => {
    server.close()
    host.drain({ type: 'drain', tenantId: TENANT_ID })
    setTimeout(() => process.exit(0), DRAIN_TIMEOUT_MS).unref()
  }
  process.once('SIGTERM', end)
  process.once('SIGINT', end)
}
