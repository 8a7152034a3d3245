import { readFileSync } from 'node:fs'
import type { KeyInfo } from '../../shared/contract/access/api-keys.ts'
import { HostingError } from '../../shared/errors.ts'
import { createApiClient } from '../api/client.ts'
import { LOCAL, normalizeApiUrl, saveContextUrl } from '../api/context.ts'
import { type ApiSession, saveKey, saveSession, validateKey } from '../api/credentials.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { OptionValues } from '../command-line/declaration.ts'
import { ensureDaemon } from '../local-daemon/start-daemon.ts'
import { askSecret } from '../output/prompt.ts'

const OPTIONS = {
  device: { type: 'boolean', doc: 'sign in with a code, even without a terminal' },
  pasteKey: { type: 'boolean', doc: 'prompt for an API key, even if the API supports sign-in' },
  clientId: {
    type: 'string',
    value: 'id',
    doc: 'client id of this program, if the API requires one',
  },
} as const

export default defineCommand({
  name: 'login',
  description:
    'Sign in to a hosted API with a code that you enter in a browser, on this or another machine. If the API only supports keys, enter an API key. Credentials are saved in credentials.json (mode 0600), and the API becomes the current context. Sign-ins are renewed automatically. The local daemon needs no login. Scripts set MCP_API_KEY instead.',
  options: OPTIONS,
  examples: {
    'mcp login --api-url https://api.example.com': 'show a code, or prompt for a key',
    'mcp login --api-url https://api.example.com --context work': 'save it under another name',
    'mcp login --device': 'without a terminal',
    'mcp login --api-key - < key.txt': 'read the key from standard input',
  },
  async run(context, input) {
    const { output, paths } = context
    const target = await pickTarget(context)
    const credential = await getCredential(context, target, input)
    const info = await verify(context, target.url, credential)
    await saveLogin(context, target, credential)
    const { apiKeyId, name, scopes } = info ?? {}
    output.result({ context: target.name, apiUrl: target.url, apiKeyId, name, scopes }, () => {
      const by = 'key' in credential ? ` with the key "${name}"` : ''
      output.line(`Signed in to ${target.url}${by}`)
      output.fields({ context: target.name, scopes: scopes?.join(', '), saved: paths.credentials })
      output.next({ description: 'Show the permissions of the key', command: 'mcp whoami' })
    })
  },
})

interface Target {
  name: string
  url: string
}

/**
 * Context to save: the chosen or current one, `local` for the local daemon, or one named after the host of the URL in
 * `--api-url` or MCP_API_URL.
 */
async function pickTarget(context: CommandContext): Promise<Target> {
  const { globals, env } = context
  const named = globals.context || env.MCP_CONTEXT
  // Does not resolve the settings, because the named context may not exist yet.
  if (named && globals.apiUrl)
    return { name: checkName(named), url: normalizeApiUrl(globals.apiUrl, '--api-url') }
  const { apiUrl, context: current } = context.settings()
  if (!apiUrl) return { name: LOCAL, url: (await ensureDaemon(context)).url }
  const name = apiUrl.source === 'context' ? current.value : new URL(apiUrl.value).host
  return { name: checkName(name), url: apiUrl.value }
}

/** Throws INVALID_REQUEST for `local`, where the key of the local daemon is saved. */
function checkName(name: string): string {
  if (name !== LOCAL) return name
  throw new HostingError(
    'INVALID_REQUEST',
    `Context "${LOCAL}" is reserved for the local daemon. Choose another name with --context.`,
  )
}

type NewCredential = { key: string } | { session: ApiSession }

type LoginInput = OptionValues<typeof OPTIONS>

async function getCredential(
  context: CommandContext,
  target: Target,
  input: LoginInput,
): Promise<NewCredential> {
  const { globals, env, output } = context
  const given = globals.apiKey ?? env.MCP_API_KEY
  if (given !== undefined && !input.device) return { key: readKey(given) }
  if (!output.interactive && !input.device) throw terminalRequired()
  const session = input.pasteKey ? undefined : await signIn(context, target, input)
  if (session) return { session }
  if (input.device) throw noSignInError(target)
  return { key: validateKey(await askSecret(context, `API key for ${target.url}:`, '--api-key')) }
}

function readKey(given: string): string {
  return validateKey(given === '-' ? readFileSync(0, 'utf8') : given)
}

/** Signs in with a code where possible. The local daemon only supports keys. */
async function signIn(context: CommandContext, { name, url }: Target, { clientId }: LoginInput) {
  if (name === LOCAL) return undefined
  const { signInWithDevice } = await import('../sign-in/device-sign-in.ts')
  return signInWithDevice(context, url, clientId)
}

function terminalRequired(): HostingError {
  return new HostingError(
    'INVALID_REQUEST',
    '--api-key is required without a terminal. Set MCP_API_KEY, or pass --api-key - and the key on standard input.',
    {
      next: [
        { description: 'Sign in with a code in a browser on another machine', command: 'mcp login --device' },
      ],
    },
  )
}

function noSignInError({ url }: Target): HostingError {
  return new HostingError(
    'METHOD_NOT_ALLOWED',
    `${url} does not support sign-in with a code, only API keys.`,
    {
      next: [{ description: 'Save a key', command: `mcp login --api-url ${url} --api-key <key>` }],
    },
  )
}

/** The API's record of the key. Undefined for a sign-in when the API accepts the token but does not return the record. */
async function verify(
  { globals, signal, output }: CommandContext,
  url: string,
  credential: NewCredential,
): Promise<KeyInfo | undefined> {
  const apiKey = 'key' in credential ? credential.key : credential.session.accessToken
  const client = createApiClient({ url, apiKey, timeoutMs: globals.timeout, signal, trace: output.trace })
  const what = 'key' in credential ? 'Checking the key' : 'Checking the sign-in'
  try {
    const info = await output.progress(what, () => client.get<KeyInfo>('/api/deployments/api-key/info'))
    if (info?.isExpired)
      throw new HostingError('UNAUTHORIZED', `Key "${info.name}" expired at ${info.expiresAt}.`)
    return info
  } catch (error) {
    const isUnknown =
      error instanceof HostingError && ['NOT_FOUND', 'INSUFFICIENT_SCOPE'].includes(error.code)
    if ('session' in credential && isUnknown) return undefined
    throw error
  } finally {
    client.close()
  }
}

async function saveLogin(
  { paths, signal }: CommandContext,
  { name, url }: Target,
  credential: NewCredential,
): Promise<void> {
  const { withLock } = await import('../sign-in/lock-file.ts')
  await withLock(`${paths.credentials}.lock`, signal, async () => {
    if (name !== LOCAL) saveContextUrl(paths, { name, apiUrl: url, isCurrent: true })
    if ('key' in credential) saveKey(paths.credentials, name, credential.key)
    else saveSession(paths.credentials, name, credential.session)
  })
}
