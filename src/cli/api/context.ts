import { writeFileAtomic } from '../../shared/atomic-file.ts'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'
import type { GlobalInput } from '../command-line/global-options.ts'
import { readJsonFile } from '../project/json-file.ts'
import { readCredentials, removeCredential } from './credentials.ts'

/** Source of a value, as shown by `mcp context show`. */
type Source = 'flag' | 'environment' | 'context' | 'default'

export interface SourcedValue<T> {
  value: T
  source: Source
  /** Name of the flag, variable or context. */
  from: string
}

export interface Settings {
  context: SourcedValue<string>
  /** Undefined for the local daemon. */
  apiUrl: SourcedValue<string> | undefined
  /** Undefined when there is no key. The local daemon creates the owner's key on its first start. */
  apiKey: SourcedValue<string> | undefined
  /** Context whose sign-in is used when there is no key. */
  session?: SourcedValue<string> | undefined
}

/** Content of config.json. The context `local` needs no entry. */
export interface Config {
  current?: string
  contexts: Record<string, { apiUrl?: string }>
}

export const LOCAL = 'local'

export interface SettingsInput {
  globals: Pick<GlobalInput, 'apiUrl' | 'apiKey' | 'context'>
  env: NodeJS.ProcessEnv
  paths: HomePaths
}

/**
 * Resolves each setting from flag, environment, context or default, in that order. An exception is `--context`, whose URL takes
 * precedence over MCP_API_URL. Project files cannot set URLs or keys, so a shared project cannot redirect a key. A saved key is
 * only sent to the URL it was saved for.
 */
export function resolveSettings({ globals, env, paths }: SettingsInput): Settings {
  const config = readConfig(paths.config)
  const context = pickContext(globals.context, env, config, paths)
  const saved = context.value === LOCAL ? undefined : getContext(config, context.value).apiUrl
  const apiUrl = pickApiUrl(globals, env, context, saved)
  return { context, apiUrl, ...pickCredential(globals, env, paths, config, context.value, apiUrl) }
}

function pickContext(
  flag: string | undefined,
  env: NodeJS.ProcessEnv,
  config: Config,
  paths: HomePaths,
): SourcedValue<string> {
  if (flag) return { value: flag, source: 'flag', from: '--context' }
  if (env.MCP_CONTEXT) return { value: env.MCP_CONTEXT, source: 'environment', from: 'MCP_CONTEXT' }
  if (config.current) return { value: config.current, source: 'context', from: paths.config }
  return { value: LOCAL, source: 'default', from: 'the local daemon' }
}

function pickApiUrl(
  globals: SettingsInput['globals'],
  env: NodeJS.ProcessEnv,
  context: SourcedValue<string>,
  saved: string | undefined,
): SourcedValue<string> | undefined {
  if (globals.apiUrl)
    return { value: normalizeApiUrl(globals.apiUrl, '--api-url'), source: 'flag', from: '--api-url' }
  // A context given on the command line takes precedence over a URL in the environment.
  if (env.MCP_API_URL && context.source !== 'flag')
    return {
      value: normalizeApiUrl(env.MCP_API_URL, 'MCP_API_URL'),
      source: 'environment',
      from: 'MCP_API_URL',
    }
  if (saved) return { value: saved, source: 'context', from: context.value }
  return undefined
}

function pickCredential(
  globals: SettingsInput['globals'],
  env: NodeJS.ProcessEnv,
  paths: HomePaths,
  config: Config,
  context: string,
  apiUrl: SourcedValue<string> | undefined,
): Pick<Settings, 'apiKey' | 'session'> {
  if (globals.apiKey) return { apiKey: { value: globals.apiKey, source: 'flag', from: '--api-key' } }
  if (env.MCP_API_KEY)
    return { apiKey: { value: env.MCP_API_KEY, source: 'environment', from: 'MCP_API_KEY' } }
  const owner = apiUrl && apiUrl.source !== 'context' ? contextOfUrl(config, apiUrl.value) : context
  if (owner === undefined) return { apiKey: undefined }
  const { apiKey, session } = readCredentials(paths.credentials).contexts[owner] ?? {}
  const from = { source: 'context', from: owner } as const
  if (apiKey !== undefined) return { apiKey: { value: apiKey, ...from } }
  return { apiKey: undefined, ...(session && { session: { value: owner, ...from } }) }
}

function contextOfUrl(config: Config, url: string): string | undefined {
  return Object.entries(config.contexts).find(([, context]) => context.apiUrl === url)?.[0]
}

/** Throws NOT_FOUND listing the existing contexts. */
export function getContext(config: Config, name: string): { apiUrl?: string } {
  const context = config.contexts[name]
  if (context) return context
  throw new HostingError(
    'NOT_FOUND',
    `Context "${name}" does not exist. Known: ${contextNames(config).join(', ')}.`,
    { next: [{ description: 'Save a context', command: `mcp context add ${name} <url>` }] },
  )
}

export function contextNames(config: Config): string[] {
  return [
    LOCAL,
    ...Object.keys(config.contexts)
      .filter(name => name !== LOCAL)
      .sort(),
  ]
}

/** Without a file, there are no contexts. Throws INVALID_REQUEST when the file is unreadable or not a JSON object. */
export function readConfig(path: string): Config {
  const value = readJsonFile(path) as Partial<Config> | undefined
  return { ...value, contexts: value?.contexts ?? {} }
}

export function saveConfig(path: string, config: Config): void {
  writeFileAtomic(path, `${JSON.stringify(config, null, 2)}\n`, 0o600)
}

/**
 * Saves the URL of a context, and optionally makes it the current one. A key or sign-in that was saved for another URL is removed
 * first. Returns true when one was removed.
 */
export function saveContextUrl(
  paths: HomePaths,
  { name, apiUrl, isCurrent }: { name: string; apiUrl: string; isCurrent?: boolean },
): boolean {
  const config = readConfig(paths.config)
  const known = config.contexts[name]
  const removed = known?.apiUrl !== apiUrl && removeCredential(paths.credentials, name)
  saveConfig(paths.config, {
    ...config,
    ...(isCurrent && { current: name }),
    contexts: { ...config.contexts, [name]: { ...known, apiUrl } },
  })
  return removed
}

/** An http(s) URL without a trailing slash. Throws INVALID_REQUEST naming the source of the value. */
export function normalizeApiUrl(text: string, from: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw new HostingError(
      'INVALID_REQUEST',
      `${from} is "${text}", expected an http or https URL such as https://api.example.com.`,
    )
  return url.href.replace(/\/+$/, '')
}
