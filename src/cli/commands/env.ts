import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import type { ServerEnv, VariableChanges } from '../../shared/contract/servers/variables.ts'
import { ENVIRONMENTS } from '../../shared/contract/states.ts'
import { counted } from '../../shared/counted.ts'
import { HostingError } from '../../shared/errors.ts'
import { nearestName } from '../../shared/names.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { ExitCode } from '../command-line/exit-codes.ts'
import type { Output } from '../output/output.ts'
import { askSecret } from '../output/prompt.ts'
import { readEnvFile } from '../variables/env-file.ts'
import { formatEnvFile } from '../variables/format-env-file.ts'
import { parseAssignment } from '../variables/given-variables.ts'
import { environmentFlag } from '../variables/place-variables.ts'
import { finishChange, RELEASE_OPTION, releaseVariables } from '../variables/release-variables.ts'
import {
  changeServerEnv,
  ENV_OPTION,
  readServerEnv,
  readServerWords,
  resolveServer,
  SERVER_ARGUMENT,
} from '../variables/server-env.ts'
import { variableTable } from '../variables/variable-table.ts'

const FILE_OPTION = { type: 'string', value: 'file', default: '.env' } as const
const SECRET_OPTIONS = {
  secret: { type: 'boolean', doc: 'never show the values again (default for names such as API_KEY)' },
  plain: { type: 'boolean', doc: 'show the values in lists, regardless of their names' },
} as const

export const list = defineCommand({
  name: 'env list',
  description:
    'List the stored variables of a server, and declared variables without a value. Values of secrets are never shown.',
  arguments: { server: SERVER_ARGUMENT },
  options: {
    env: {
      type: 'string',
      value: 'environment',
      choices: ENVIRONMENTS,
      doc: 'only this environment (default: all in use)',
    },
  },
  examples: {
    'mcp env list': 'variables of the project in this folder',
    'mcp env list shop --env production': 'variables in one environment',
  },
  async run(context, { server, env }) {
    const { output } = context
    const name = await resolveServer(context, server)
    const api = await context.api()
    const wanted = env === undefined ? ENVIRONMENTS : [env]
    const all = await Promise.all(wanted.map(environment => readServerEnv(api, { name, environment })))
    const used = all.filter(one => one.variables.length > 0 || one.live_deployment !== null)
    const items = used.length > 0 ? used : all.slice(-1)
    output.result({ items }, () => {
      const [first] = items
      if (items.length === 1) output.line(`${output.style.bold(name)} in ${first!.environment}`)
      const { headers, rows } = variableTable(items)
      output.table(headers, rows, `${name} has no variables.`)
      output.next({
        description: 'Set a variable',
        command: `mcp env set ${quoteShellWord(name)} KEY=VALUE${env ? environmentFlag(env) : ''}`,
      })
    })
  },
})

export const set = defineCommand({
  name: 'env set',
  description:
    'Store variables, encrypted, for a server in an environment. Every later deployment there uses them. For KEY alone, the value is entered at a hidden prompt or read from standard input.',
  arguments: {
    server: SERVER_ARGUMENT,
    variables: { kind: 'variable', doc: 'KEY=VALUE, or KEY to enter its value at a prompt', variadic: true },
  },
  options: { env: ENV_OPTION, ...SECRET_OPTIONS, release: RELEASE_OPTION },
  examples: {
    'mcp env set shop SHOP_URL=https://shop.example.com': 'for development',
    'mcp env set shop API_KEY --env production': 'asks for the value',
    'mcp env set shop API_KEY < key.txt': 'reads the value from a file',
    'mcp env set LIMIT=5 --release': 'for this project, and release it',
  },
  async run(context, { server, variables, env, release, ...kind }): Promise<ExitCode | undefined> {
    const words = wordsOf(server, variables)
    if (words.length === 0) throw missingArgument('KEY=VALUE', 'set')
    const secret = secretFlag(kind)
    const { name, variables: given } = await readServerWords(context, words)
    const values = await completeValues(
      context,
      given.map(word => parseAssignment(word, 'mcp env set')),
    )
    return storeValues(context, { name, environment: env }, values, { secret, release })
  },
})

export const unset = defineCommand({
  name: 'env unset',
  description: 'Remove stored variables. Live deployments keep their values until the next release.',
  arguments: {
    server: SERVER_ARGUMENT,
    variables: { kind: 'variable', doc: 'names of variables', variadic: true },
  },
  options: {
    env: ENV_OPTION,
    all: { type: 'boolean', doc: 'remove all variables in the environment' },
    release: RELEASE_OPTION,
  },
  examples: {
    'mcp env unset shop OLD_URL': 'in development',
    'mcp env unset shop --all --env staging': 'all of staging',
  },
  async run(context, { server, variables, env, all, release }): Promise<ExitCode | undefined> {
    const words = wordsOf(server, variables)
    if (all ? variables.length > 0 : words.length === 0)
      throw missingArgument('the names of variables, or --all', 'unset')
    const { name, variables: given } = all
      ? { name: await resolveServer(context, server), variables: [] }
      : await readServerWords(context, words)
    const api = await context.api()
    const place = { name, environment: env }
    const stored = (await readServerEnv(api, place)).variables.map(one => one.name)
    const names = all ? stored : given
    for (const one of names) if (!stored.includes(one)) throw unknownVariable(one, stored, place)
    if (names.length === 0) throw unknownVariable('*', stored, place)
    const record = await changeServerEnv(api, place, Object.fromEntries(names.map(one => [one, null])))
    return finishChange(context, record, {
      done: `Removed ${names.join(', ')} from ${name} in ${env}`,
      release,
    })
  },
})

export const pull = defineCommand({
  name: 'env pull',
  description:
    'Write the stored variables to a .env file that only you can read. Secrets are written as comments without their values.',
  arguments: { server: SERVER_ARGUMENT },
  options: {
    env: ENV_OPTION,
    file: { ...FILE_OPTION, doc: 'file to write' },
    force: { type: 'boolean', doc: 'overwrite an existing file' },
  },
  examples: { 'mcp env pull shop --env production --file .env.production': 'to this file' },
  async run(context, { server, env, file, force }) {
    const { output, cwd } = context
    const path = resolve(cwd, file)
    if (existsSync(path) && !force)
      throw new HostingError('CONFLICT', `${file} exists and was not changed.`, {
        next: [{ description: 'Overwrite it with --force, or choose another --file' }],
      })
    const name = await resolveServer(context, server)
    const { variables } = await readServerEnv(await context.api(), { name, environment: env })
    const { text, written, left } = formatEnvFile(variables)
    writeFileAtomic(path, text, 0o600)
    output.result({ file, written, commented: left }, () => {
      output.line(`Wrote ${counted(written.length, 'variable')} of ${name} in ${env} to ${file}`)
      if (left.length > 0) output.note(`Written as comments without values: ${left.join(', ')}`)
    })
  },
})

export const push = defineCommand({
  name: 'env push',
  description: 'Store every variable of a .env file. Variables that are not in the file stay as they are.',
  arguments: { server: SERVER_ARGUMENT },
  options: {
    env: ENV_OPTION,
    file: { ...FILE_OPTION, doc: 'file to read' },
    ...SECRET_OPTIONS,
    release: RELEASE_OPTION,
  },
  examples: { 'mcp env push shop --env production --file .env.production': 'from this file' },
  async run(context, { server, env, file, release, ...kind }): Promise<ExitCode | undefined> {
    const secret = secretFlag(kind)
    const values = readEnvFile(file)
    if (Object.keys(values).length === 0)
      throw new HostingError('INVALID_REQUEST', `${file} has no variables.`)
    const name = await resolveServer(context, server)
    return storeValues(context, { name, environment: env }, values, { secret, release })
  },
})

export const release = defineCommand({
  name: 'env release',
  description:
    'Redeploy the live build with its configuration and the variables that are stored now, without a failed request.',
  arguments: { server: SERVER_ARGUMENT },
  options: { env: ENV_OPTION },
  examples: { 'mcp env release shop --env production': 'after mcp env set' },
  async run(context, { server, env }): Promise<ExitCode | undefined> {
    const name = await resolveServer(context, server)
    return releaseVariables(context, { name, environment: env })
  },
})

function wordsOf(server: string | undefined, variables: readonly string[] | undefined): string[] {
  return [...(server === undefined ? [] : [server]), ...(variables ?? [])]
}

function missingArgument(what: string, subcommand: string): HostingError {
  return new HostingError('INVALID_REQUEST', `Missing ${what}.`, {
    next: [{ description: 'Show the usage of the command', command: `mcp env ${subcommand} --help` }],
  })
}

/** Undefined lets the API decide by name. */
function secretFlag({ secret, plain }: { secret: boolean; plain: boolean }): boolean | undefined {
  if (secret && plain) throw new HostingError('INVALID_REQUEST', '--secret and --plain cannot be combined.')
  return secret || (plain ? false : undefined)
}

/** Asks for values that are not on the command line, or reads the only missing value from standard input. */
async function completeValues(
  context: CommandContext,
  given: readonly { name: string; value?: string }[],
): Promise<Record<string, string>> {
  const open = given.filter(({ value }) => value === undefined)
  if (open.length > 1 && !context.output.interactive)
    throw new HostingError(
      'INVALID_REQUEST',
      `${open.map(({ name }) => name).join(' and ')} have no value. Only one value can be read from standard input.`,
      { next: [{ description: 'Store the values from a file', command: 'mcp env push --file <file>' }] },
    )
  const values: Record<string, string> = {}
  for (const { name, value } of given)
    values[name] =
      value ??
      (context.output.interactive ? await askSecret(context, `Value of ${name}:`, name) : readInput(name))
  return values
}

function readInput(name: string): string {
  const text = process.stdin.isTTY ? '' : readFileSync(0, 'utf8').replace(/\r?\n$/, '')
  if (text !== '') return text
  throw new HostingError('INVALID_REQUEST', `${name} has no value, and standard input is empty.`, {
    next: [{ description: `Pass ${name}=VALUE, or pipe the value to the command` }],
  })
}

async function storeValues(
  context: CommandContext,
  place: { name: string; environment: ServerEnv['environment'] },
  values: Record<string, string>,
  { secret, release }: { secret: boolean | undefined; release: boolean },
): Promise<ExitCode | undefined> {
  const changes: VariableChanges = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, secret === undefined ? value : { value, secret }]),
  )
  const env = await changeServerEnv(await context.api(), place, changes)
  const names = Object.keys(values)
  const shown = env.variables.filter(({ name }) => names.includes(name))
  for (const variable of shown)
    if (variable.declared === false) warnOfUndeclared(context.output, env, variable.name)
  const listed = shown.map(({ name, secret }) => (secret ? `${name} (secret)` : name)).join(', ')
  return finishChange(context, env, {
    done: `Stored ${listed} for ${place.name} in ${place.environment}`,
    release,
    hasEffect: shown.some(({ declared }) => declared !== false),
  })
}

/** A name that the server does not declare is probably misspelled. */
function warnOfUndeclared(output: Output, { name: server, missing }: ServerEnv, name: string): void {
  const near = nearestName(
    name,
    missing.map(one => one.name),
  )
  const hint = near
    ? `Did you mean ${near}?`
    : `Add "${name}" to "env" in its project file (mcp.config.json) and deploy the server again.`
  output.warn(
    `${server} declares no variable ${name}, so the value is stored but not passed to the server. ${hint}`,
  )
}

function unknownVariable(
  name: string,
  stored: readonly string[],
  place: { name: string; environment: string },
) {
  const near = nearestName(name, stored)
  const what = name === '*' ? 'variables' : `variable ${name}`
  return new HostingError(
    'NOT_FOUND',
    `${place.name} has no ${what} in ${place.environment}.${near ? ` Did you mean ${near}?` : ''}`,
    { next: [{ description: 'List its variables', command: `mcp env list ${quoteShellWord(place.name)}` }] },
  )
}
