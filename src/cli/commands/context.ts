import { HostingError } from '../../shared/errors.ts'
import type { Discovery } from '../../shared/paths.ts'
import { defineCommand } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import {
  contextNames,
  getContext,
  LOCAL,
  normalizeApiUrl,
  readConfig,
  type Sourced,
  saveConfig,
} from '../context.ts'
import { type Credential, maskKey, readCredentials, removeCredential } from '../credentials.ts'
import { readJsonFile } from '../json-file.ts'
import { modelAccess } from '../model-access.ts'

export const list = defineCommand({
  name: 'context list',
  summary: 'all saved contexts',
  examples: [{ command: 'mcp context list --json', does: '[{name, apiUrl, current, signedIn}]' }],
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
      output.next({ description: 'Make another the current one', command: 'mcp context use <name>' })
    })
  },
})

export const show = defineCommand({
  name: 'context show',
  summary: 'the API and key in use, and where each comes from',
  description:
    'Tells which API and key a command would use here and now, and where each comes from: flag, environment, context or default. Asks nobody.',
  examples: [
    { command: 'MCP_API_URL=https://api.example.com mcp context show', does: 'what a variable changes' },
  ],
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
      // Models are an extension, so only the local daemon is known to have a list of them.
      output.next(
        apiUrl
          ? { description: 'See what the key may do', command: 'mcp whoami' }
          : { description: 'See the models that tests can use', command: 'mcp models list' },
      )
    })
  },
})

/** Vendors' keys of this environment, masked; saved ones only the API knows, and nobody is asked here. */
function modelKeysOf(context: CommandContext): Record<string, Sourced<string>> {
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
  summary: 'make a context the current one',
  arguments: { name: { required: true, doc: `a saved context, or "${LOCAL}" for the local daemon` } },
  examples: [{ command: `mcp context use ${LOCAL}`, does: 'back to the local daemon' }],
  run({ output, paths }, { name }) {
    const config = readConfig(paths.config)
    if (name !== LOCAL) getContext(config, name)
    saveConfig(paths.config, { ...config, current: name })
    output.result({ current: name }, () => output.line(`Now using the context "${name}"`))
  },
})

export const add = defineCommand({
  name: 'context add',
  summary: 'save the address of an API under a name',
  arguments: {
    name: { required: true, doc: 'letters, digits, "-", "_" or "."' },
    url: { required: true, doc: 'address of the API' },
  },
  examples: [
    { command: 'mcp context add work https://api.example.com', does: 'then: mcp login --context work' },
  ],
  run({ output, paths }, { name, url }) {
    if (name === LOCAL || !/^[A-Za-z0-9._:-]{1,100}$/.test(name))
      throw new HostingError(
        'INVALID_REQUEST',
        `"${name}" cannot be the name of a context: use letters, digits, "-", "_" or ".", and not "${LOCAL}".`,
      )
    const apiUrl = normalizeApiUrl(url, 'The url')
    const config = readConfig(paths.config)
    saveConfig(paths.config, { ...config, contexts: { ...config.contexts, [name]: { apiUrl } } })
    output.result({ name, apiUrl }, () => {
      output.line(`Saved the context "${name}" for ${apiUrl}`)
      output.next(
        { description: 'Sign in', command: `mcp login --context ${name}` },
        { description: 'Make it the current one', command: `mcp context use ${name}` },
      )
    })
  },
})

export const remove = defineCommand({
  name: 'context remove',
  summary: 'forget a context and its key',
  arguments: { name: { required: true, doc: 'a saved context' } },
  examples: [{ command: 'mcp context remove work', does: 'the API itself is left alone' }],
  run({ output, paths }, { name }) {
    const config = readConfig(paths.config)
    getContext(config, name)
    const { [name]: _removed, ...contexts } = config.contexts
    const current = config.current === name ? undefined : config.current
    saveConfig(paths.config, { ...config, current, contexts })
    removeCredential(paths.credentials, name)
    output.result({ removed: name }, () => output.line(`Forgot the context "${name}" and its key`))
  },
})

function keyOf(credential: Credential | undefined): string {
  if (!credential) return 'no key'
  return credential.session ? 'signed in' : 'key saved'
}

/** Where the daemon was last seen; it is not started or asked for this. */
function localUrl({ paths }: CommandContext): Sourced<string | null> {
  const discovery = readJsonFile(paths.discovery) as Partial<Discovery> | undefined
  const from = discovery?.url ? paths.discovery : 'the local daemon, which is started when it is needed'
  return { value: discovery?.url ?? null, source: 'default', from }
}

function describeSource(one: Sourced<unknown> | undefined): string {
  return one ? `${one.source}: ${one.from}` : ''
}
