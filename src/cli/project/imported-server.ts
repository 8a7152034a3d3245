import { HostingError } from '../../shared/errors.ts'
import { SERVER_NAME } from '../../shared/names.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import type { ServerEntry } from '../clients/server-entries.ts'
import { readEnvVars } from '../variables/given-variables.ts'
import { commandProject, withEnvVars } from './program-project.ts'
import type { Project } from './project.ts'

/** Plan for importing one server from a client's configuration. */
export interface ImportedServer {
  /** Name in the configuration. */
  entry: string
  /** Name of the hosted server. */
  name: string
  /** Command, image or URL of the server. */
  source: string
  /** Names of the server's variables. */
  variables: string[]
  /** Undefined when the server cannot be hosted. */
  project?: Project
  /** Reason that the server is not hosted, as a sentence without a full stop. */
  reason?: string
}

/**
 * `set`: values that replace those in the configuration. `env`: environment of this command, for references such as
 * `${env:HOME}`.
 */
export function planImport(
  entry: ServerEntry,
  { set, env }: { set: Readonly<Record<string, string>>; env: NodeJS.ProcessEnv },
): ImportedServer {
  const name = serverNameOf(entry.name)
  const source = entry.url ?? entry.words.map(quoteShellWord).join(' ')
  const planned = { entry: entry.name, name, source, variables: Object.keys(entry.env) }
  const reason = reasonToSkip(entry, name)
  if (reason !== undefined) return { ...planned, reason }
  try {
    const project = toProject({ ...entry, name }, { set, env })
    return { ...planned, variables: Object.keys(project.request.env_vars ?? {}), project }
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    return { ...planned, reason: error.message.replace(/^--command: |\.$/g, '') }
  }
}

/** Name of the hosted server. */
export function serverNameOf(entry: string): string {
  return entry.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 63)
}

function reasonToSkip({ url, words, isLocal, isDisabled }: ServerEntry, name: string): string | undefined {
  if (isDisabled) return 'it is disabled'
  if (url !== undefined)
    return isLocal ? 'this machine already hosts it' : 'it is a remote server, which needs no hosting'
  if (words.length === 0) return 'it has neither a command nor a URL'
  return SERVER_NAME.test(name) ? undefined : 'its name is not a valid server name'
}

function toProject(
  { name, words, env: own, envFile, cwd }: ServerEntry,
  { set, env }: { set: Readonly<Record<string, string>>; env: NodeJS.ProcessEnv },
): Project {
  const values: Record<string, string> = envFile === undefined ? {} : readEnvVars([envFile], [], env)
  for (const [variable, value] of Object.entries(own))
    values[variable] = set[variable] ?? expand(value, env, `--set ${variable}=VALUE`)
  const expanded = words.map(word => expand(word, env))
  // A client passes variables to the command. For a container, the command is the engine's client, and `-e` selects the
  // variables that it passes on.
  const project = commandProject(
    expanded,
    { ...NO_INPUT, command: words.join(' '), name, ...(cwd !== undefined && { cwd: expand(cwd, env) }) },
    { ...env, ...values },
  )
  return project.request.program?.type === 'image' ? project : withEnvVars(project, values)
}

const NO_INPUT = { http: false, path: undefined, isolation: undefined, cwd: undefined }

/** `${NAME}`, `${NAME:-default}` and `${env:NAME}` in most clients, `{env:NAME}` in OpenCode. */
const REFERENCE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}|\{env:([A-Za-z_]\w*)\}/g

/** Throws INVALID_REQUEST for a reference without a value, such as `${input:key}`. `solution`: option that sets the value. */
function expand(text: string, env: NodeJS.ProcessEnv, solution?: string): string {
  const expanded = text.replace(
    REFERENCE,
    (whole, name, fallback, other) => env[name ?? other] ?? fallback ?? whole,
  )
  const [missing] = /\$\{[^}]*\}|\{env:[^}]*\}/.exec(expanded) ?? []
  if (missing === undefined) return expanded
  const advice = solution === undefined ? '' : `. Set it with ${solution}`
  throw new HostingError('INVALID_REQUEST', `${missing} has no value${advice}`)
}
