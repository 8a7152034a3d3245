import { HostingError } from '../../shared/errors.ts'
import type { Discovery } from '../../shared/paths.ts'
import {
  contextNames,
  getContext,
  LOCAL,
  normalizeApiUrl,
  readConfig,
  type SourcedValue,
  saveConfig,
  saveContextUrl,
} from '../api/context.ts'
import { type Credential, maskKey, readCredentials, removeCredential } from '../api/credentials.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { readJsonFile } from '../project/json-file.ts'
import { modelAccess } from '../testing/model-access.ts'

export const list = defineCommand({
  name: 'context list',
  examples: { 'mcp context list --json': '[{name, apiUrl, current, signedIn}]' },
  run({ output, paths, settings }) {
    const config = readConfig(paths.config)
    const { contexts: keys } = readCredentials(paths.credentials)
    const current = settings().context.value
    const rows = contextNames(config).map(name => ({
      name,
      apiUrl: config.contexts[name]?.apiUrl ?? null,
      current: name === current,
      signedIn: keys[name] !== undefined,
    }))
    output.result(rows, () => {
      const cells = rows.map(row => [
        `${row.current ? '* ' : '  '}${row.name}`,
        row.apiUrl ?? 'the local daemon',
        keyOf(keys[row.name]),
      ])
      output.table(['  CONTEXT', 'API', 'KEY'], cells)
      output.next({ description: 'Switch to another context', command: 'mcp context use <name>' })
    })
  },
})

export const show = defineCommand({
  name: 'context show',
  description:
    'Show the API and key that a command would use, and where each comes from: flag, environment, context or default. Makes no network request.',
  examples: { 'MCP_API_URL=https://api.example.com mcp context show': 'the effect of a variable' },
  run(context) {
    const { output } = context
    const { context: name, apiUrl, apiKey, session } = context.settings()
    const url = apiUrl ?? localUrl(context)
    const key = apiKey && { ...apiKey, value: maskKey(apiKey.value) }
    const modelKeys = modelKeysOf(context)
    const signIn = session && { ...session, value: 'signed in' }
    const shown = { context: name, apiUrl: url, apiKey: key ?? null, ...(session && { session }), modelKeys }
    output.result(shown, () => {
      const rows = Object.entries({ context: name, 'API URL': url, 'API key': key ?? signIn })
      rows.push(
        ...Object.entries(modelKeys).map(([vendor, one]): (typeof rows)[number] => [`${vendor} key`, one]),
      )
      const cells = rows.map(([label, one]) => [label, one?.value ?? 'none', describeSource(one)])
      output.table(['SETTING', 'VALUE', 'FROM'], cells)
      if (!key && !session) output.next({ description: 'Sign in', command: 'mcp login' })
      // Models are an extension that only the local daemon is known to have.
      output.next(
        apiUrl
          ? { description: 'Show the permissions of the key', command: 'mcp whoami' }
          : { description: 'List the models that tests can use', command: 'mcp models list' },
      )
    })
  },
})

/** Vendor keys in this environment, masked. Saved keys are only known to the API. */
function modelKeysOf(context: CommandContext): Record<string, SourcedValue<string>> {
  const keys = Object.entries(modelAccess(context) ?? {})
  return Object.fromEntries(
    keys.map(([vendor, { api_key }]) => [
      vendor,
      { value: maskKey(api_key), source: 'environment', from: `${vendor.toUpperCase()}_API_KEY` },
    ]),
  )
}

export const use = defineCommand({
  name: 'context use',
  arguments: {
    name: { kind: 'context', required: true, doc: `a saved context, or "${LOCAL}" for the local daemon` },
  },
  examples: { [`mcp context use ${LOCAL}`]: 'switch back to the local daemon' },
  run({ output, paths }, { name }) {
    const config = readConfig(paths.config)
    if (name !== LOCAL) getContext(config, name)
    saveConfig(paths.config, { ...config, current: name })
    output.result({ current: name }, () => output.line(`Switched to context "${name}"`))
  },
})

export const add = defineCommand({
  name: 'context add',
  arguments: {
    name: { required: true, doc: 'letters, digits, "-", "_" or "."' },
    url: { required: true, doc: 'URL of the API' },
  },
  examples: { 'mcp context add work https://api.example.com': 'next: mcp login --context work' },
  async run({ output, paths, signal }, { name, url }) {
    if (name === LOCAL || !/^[A-Za-z0-9._:-]{1,100}$/.test(name))
      throw new HostingError(
        'INVALID_REQUEST',
        `"${name}" is not a valid context name. Use letters, digits, "-", "_" or ".". "${LOCAL}" is reserved.`,
      )
    const apiUrl = normalizeApiUrl(url, 'The URL')
    const { withLock } = await import('../sign-in/lock-file.ts')
    // Without the lock, a concurrent renewal would restore the removed sign-in.
    const removed = await withLock(`${paths.credentials}.lock`, signal, async () =>
      saveContextUrl(paths, { name, apiUrl }),
    )
    output.result({ name, apiUrl }, () => {
      output.line(`Saved context "${name}" for ${apiUrl}`)
      if (removed) output.note('Removed its key or sign-in, which was saved for another URL.')
      output.next(
        { description: 'Sign in', command: `mcp login --context ${name}` },
        { description: 'Switch to the new context', command: `mcp context use ${name}` },
      )
    })
  },
})

export const remove = defineCommand({
  name: 'context remove',
  arguments: { name: { kind: 'context', required: true, doc: 'a saved context' } },
  examples: { 'mcp context remove work': 'does not affect the API' },
  run({ output, paths }, { name }) {
    const config = readConfig(paths.config)
    getContext(config, name)
    const { [name]: _removed, ...contexts } = config.contexts
    const current = config.current === name ? undefined : config.current
    saveConfig(paths.config, { ...config, current, contexts })
    removeCredential(paths.credentials, name)
    output.result({ removed: name }, () => output.line(`Removed context "${name}" and its key`))
  },
})

function keyOf(credential: Credential | undefined): string {
  if (!credential) return 'no key'
  return credential.session ? 'signed in' : 'key saved'
}

/** Last known URL of the daemon. Makes no request. */
function localUrl({ paths }: CommandContext): SourcedValue<string | null> {
  const discovery = readJsonFile(paths.discovery) as Partial<Discovery> | undefined
  const from = discovery?.url ? paths.discovery : 'the local daemon, started when needed'
  return { value: discovery?.url ?? null, source: 'default', from }
}

function describeSource(one: SourcedValue<unknown> | undefined): string {
  return one ? `${one.source}: ${one.from}` : ''
}
