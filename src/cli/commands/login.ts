import { readFileSync } from 'node:fs'
import type { KeyInfo } from '../../shared/api-keys.ts'
import { HostingError } from '../../shared/errors.ts'
import { createApiClient } from '../api-client.ts'
import { defineCommand } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { LOCAL, normalizeApiUrl, readConfig, saveConfig } from '../context.ts'
import { saveKey, validateKey } from '../credentials.ts'
import { ensureDaemon } from '../daemon-client.ts'
import { askSecret } from '../prompt.ts'

export default defineCommand({
  name: 'login',
  summary: 'save an API key',
  description:
    'Checks an API key with its API and saves it in the credentials file (mode 0600), with the address as a context that becomes the current one. The local daemon needs no login: its first start makes a key.',
  examples: [
    { command: 'mcp login --api-url https://api.example.com', does: 'asks for the key' },
    {
      command: 'mcp login --api-url https://api.example.com --context work',
      does: 'under a name of your own',
    },
    { command: 'mcp login --api-key - < key.txt', does: 'key from standard input, for scripts' },
  ],
  async run(context) {
    const { output, paths } = context
    const target = await pickTarget(context)
    const key = validateKey(await readKey(context, target.url))
    const info = await verifyKey(context, target.url, key)
    saveLogin(context, target, key)
    const { apiKeyId, name, scopes } = info
    output.result({ context: target.name, apiUrl: target.url, apiKeyId, name, scopes }, () => {
      output.line(`Signed in to ${target.url} with the key "${name}"`)
      output.fields({ context: target.name, scopes: scopes?.join(', '), saved: paths.credentials })
      output.next({ description: 'See what there is', command: 'mcp list' })
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

async function readKey(context: CommandContext, url: string): Promise<string> {
  const given = context.globals.apiKey ?? context.env.MCP_API_KEY
  if (given === '-') return readFileSync(0, 'utf8')
  return given ?? askSecret(context, `API key for ${url}:`, '--api-key')
}

async function verifyKey(
  { globals, signal, output }: CommandContext,
  url: string,
  apiKey: string,
): Promise<KeyInfo> {
  const client = createApiClient({ url, apiKey, timeoutMs: globals.timeout, signal, trace: output.trace })
  try {
    const info = await output.progress('Checking the key', () =>
      client.get<KeyInfo>('/api/deployments/api-key/info'),
    )
    if (info?.isExpired)
      throw new HostingError('UNAUTHORIZED', `The key "${info.name}" has expired at ${info.expiresAt}.`)
    return info
  } finally {
    client.close()
  }
}

function saveLogin({ paths }: CommandContext, { name, url }: Target, key: string): void {
  const config = readConfig(paths.config)
  if (name !== LOCAL)
    saveConfig(paths.config, {
      ...config,
      current: name,
      contexts: { ...config.contexts, [name]: { ...config.contexts[name], apiUrl: url } },
    })
  saveKey(paths.credentials, name, key)
}
