import { readFileSync } from 'node:fs'
import type { KeyInfo } from '../../shared/api-keys.ts'
import { HostingError } from '../../shared/errors.ts'
import { createApiClient } from '../api-client.ts'
import { defineCommand } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { LOCAL, normalizeApiUrl, readConfig, saveConfig } from '../context.ts'
import { type ApiSession, saveKey, saveSession, validateKey } from '../credentials.ts'
import { ensureDaemon } from '../daemon-client.ts'
import { askSecret } from '../prompt.ts'

export default defineCommand({
  name: 'login',
  summary: 'sign in to an API, or save a key of it',
  description:
    'Signs in to a hosted API that offers it: a code is shown, to be entered in any browser, also of another machine. For one that knows keys alone, a key is asked for. What it gives is saved in the credentials file (mode 0600), with the address as a context that becomes the current one; sign-ins are renewed by themselves. The local daemon needs no login: its first start makes a key. Scripts set MCP_API_KEY instead.',
  options: {
    device: { type: 'boolean', doc: 'sign in by a code, also without a terminal; no key is asked for' },
    pasteKey: { type: 'boolean', doc: 'ask for a key, also when the API offers a sign-in' },
    clientId: {
      type: 'string',
      value: 'id',
      doc: 'what the API knows this program by, where it says so',
    },
  },
  examples: [
    { command: 'mcp login --api-url https://api.example.com', does: 'shows a code, or asks for a key' },
    {
      command: 'mcp login --api-url https://api.example.com --context work',
      does: 'under a name of your own',
    },
    { command: 'mcp login --device', does: 'the code also where there is no terminal' },
    { command: 'mcp login --api-key - < key.txt', does: 'key from standard input, for scripts' },
  ],
  async run(context, input) {
    const { output, paths } = context
    const target = await pickTarget(context)
    const credential = await obtain(context, target, input)
    const info = await verify(context, target.url, credential)
    await saveLogin(context, target, credential)
    const { apiKeyId, name, scopes } = info ?? {}
    output.result({ context: target.name, apiUrl: target.url, apiKeyId, name, scopes }, () => {
      const by = 'key' in credential ? ` with the key "${name}"` : ''
      output.line(`Signed in to ${target.url}${by}`)
      output.fields({ context: target.name, scopes: scopes?.join(', '), saved: paths.credentials })
      output.next({ description: 'See what the key may do', command: 'mcp whoami' })
    })
  },
})

interface Target {
  name: string
  url: string
}

/** `--context` names where to save; an address alone is saved under its host name. */
async function pickTarget(context: CommandContext): Promise<Target> {
  const { globals, env } = context
  const named = globals.context ?? env.MCP_CONTEXT
  if (named !== undefined && globals.apiUrl) return { name: named, url: addressOf(context, globals.apiUrl) }
  const { apiUrl, context: current } = context.settings()
  if (!apiUrl) return { name: LOCAL, url: (await ensureDaemon(context)).url }
  const name = apiUrl.source === 'context' ? current.value : new URL(apiUrl.value).host
  return { name, url: apiUrl.value }
}

/** A context that is to be made now is not known yet, so the settings are resolved without its name. */
function addressOf(context: CommandContext, url: string): string {
  if (context.globals.context === LOCAL)
    throw new HostingError(
      'INVALID_REQUEST',
      `The context "${LOCAL}" is the local daemon's: choose another name.`,
    )
  return normalizeApiUrl(url, '--api-url')
}

type Obtained = { key: string } | { session: ApiSession }

interface LoginInput {
  device: boolean
  pasteKey: boolean
  clientId: string | undefined
}

async function obtain(context: CommandContext, target: Target, input: LoginInput): Promise<Obtained> {
  const { globals, env, output } = context
  const given = globals.apiKey ?? env.MCP_API_KEY
  if (given !== undefined && !input.device) return { key: readKey(given) }
  if (!output.interactive && !input.device) throw nobodyToAsk()
  const session = input.pasteKey ? undefined : await signIn(context, target, input)
  if (session) return { session }
  if (input.device) throw knowsKeysAlone(target)
  return { key: validateKey(await askSecret(context, `API key for ${target.url}:`, '--api-key')) }
}

function readKey(given: string): string {
  return validateKey(given === '-' ? readFileSync(0, 'utf8') : given)
}

/** The daemon's own users have keys alone. */
async function signIn(context: CommandContext, { name, url }: Target, { clientId }: LoginInput) {
  if (name === LOCAL) return undefined
  const { signInByDevice } = await import('../sign-in/device-sign-in.ts')
  return signInByDevice(context, url, clientId)
}

function nobodyToAsk(): HostingError {
  return new HostingError(
    'INVALID_REQUEST',
    '--api-key is missing, and nobody can be asked here: set MCP_API_KEY, or give --api-key - and the key on standard input.',
    {
      next: [
        { description: 'Sign in by a code that somebody enters elsewhere', command: 'mcp login --device' },
      ],
    },
  )
}

function knowsKeysAlone({ url }: Target): HostingError {
  return new HostingError(
    'METHOD_NOT_ALLOWED',
    `${url} offers no sign-in by a code: it knows API keys alone.`,
    {
      next: [{ description: 'Save a key', command: `mcp login --api-url ${url} --api-key <key>` }],
    },
  )
}

/** What the API says of a key; of a sign-in it may know nothing but that it is good. */
async function verify(
  { globals, signal, output }: CommandContext,
  url: string,
  credential: Obtained,
): Promise<KeyInfo | undefined> {
  const apiKey = 'key' in credential ? credential.key : credential.session.accessToken
  const client = createApiClient({ url, apiKey, timeoutMs: globals.timeout, signal, trace: output.trace })
  const what = 'key' in credential ? 'Checking the key' : 'Checking the sign-in'
  try {
    const info = await output.progress(what, () => client.get<KeyInfo>('/api/deployments/api-key/info'))
    if (info?.isExpired)
      throw new HostingError('UNAUTHORIZED', `The key "${info.name}" has expired at ${info.expiresAt}.`)
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
  credential: Obtained,
): Promise<void> {
  const { withLock } = await import('../sign-in/lock-file.ts')
  await withLock(`${paths.credentials}.lock`, signal, async () => {
    const config = readConfig(paths.config)
    if (name !== LOCAL)
      saveConfig(paths.config, {
        ...config,
        current: name,
        contexts: { ...config.contexts, [name]: { ...config.contexts[name], apiUrl: url } },
      })
    if ('key' in credential) saveKey(paths.credentials, name, credential.key)
    else saveSession(paths.credentials, name, credential.session)
  })
}
