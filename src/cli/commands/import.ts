import { existsSync } from 'node:fs'
import { ENVIRONMENTS } from '../../shared/contract/states.ts'
import { HostingError, type NextStep } from '../../shared/errors.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import { type ClientFile, configFile, showClients } from '../clients/client-files.ts'
import type { ConfigChange } from '../clients/config.ts'
import { CLIENTS, type McpClient } from '../clients/list.ts'
import { replaceServers, restoreServers } from '../clients/replace-servers.ts'
import { clientOfFile, listServerEntries } from '../clients/server-entries.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import { reportFailure } from '../command-line/failure.ts'
import { ask, confirm } from '../output/prompt.ts'
import { type HostedServer, hostServer } from '../project/host-server.ts'
import { type ImportedServer, planImport, serverNameOf } from '../project/imported-server.ts'
import { readEnvVars } from '../variables/given-variables.ts'

export default defineCommand({
  name: 'import',
  description:
    "Build and deploy the servers that an MCP client's configuration starts: commands, npx packages and docker run. Shows them first. Stores the values of their variables encrypted. Without a source, lists the clients.",
  arguments: { source: { kind: 'file', doc: 'client, or configuration file with "mcpServers"' } },
  options: {
    only: { type: 'list', value: 'name', doc: 'only this server' },
    env: {
      type: 'string',
      value: 'environment',
      choices: ENVIRONMENTS,
      default: 'development',
      doc: 'environment to deploy to',
    },
    set: {
      type: 'list',
      value: 'KEY=VALUE',
      doc: 'value of a variable that the configuration names; KEY alone copies the value from this shell',
    },
    project: { type: 'boolean', doc: "read the client's project configuration in this folder" },
    dryRun: { type: 'boolean', doc: 'show what would be hosted' },
    connect: { type: 'boolean', doc: 'also point the client at the hosted servers' },
    undo: { type: 'boolean', doc: "restore the client's entries that --connect replaced" },
  },
  examples: {
    'mcp import cursor --dry-run': 'show what would be hosted',
    'mcp import claude --connect': 'host them, and let Claude Desktop use them here',
    'mcp import ./mcp.json --only github --set GITHUB_TOKEN': 'one server from a file',
    'mcp import claude --undo': 'restore the previous entries',
  },
  async run(context, input) {
    const { output } = context
    if (input.source === undefined) return showClients(context, previewStep)
    const config = await openSource(context, input.source, input.project)
    if (input.undo) return undo(context, config)
    const plan = await readPlan(context, config, input)
    if (input.dryRun) return output.result(plan.map(toRecord), () => showPlan(context, plan))
    if (!output.json && !output.quiet) showPlan(context, plan)
    const wanted = plan.filter(({ project }) => project)
    if (wanted.length > 0 && output.interactive)
      await confirm(context, { question: 'Host these servers?', action: 'Hosting these servers' })
    const results: HostedServer[] = []
    for (const server of wanted) results.push(await hostServer(context, server, input.env))
    const change = await connect(context, config, { results, isWanted: input.connect })
    return report(context, { source: input.source, config, plan, results, change })
  },
})

/** For a file, `client` is any client with the same format. */
interface Source extends ClientFile {
  /** Name of the client. Undefined for a file. */
  name?: string
}

function previewStep(client: McpClient | undefined): NextStep {
  return client
    ? { description: 'Show what would be hosted', command: `mcp import ${client.id} --dry-run` }
    : {
        description: 'No client has a configuration yet. Show the servers in another file',
        command: 'mcp import <file> --dry-run',
      }
}

async function openSource(context: CommandContext, source: string, isForProject: boolean): Promise<Source> {
  const client = CLIENTS.find(({ id }) => id === source)
  if (client) return { client, file: configFile(client, isForProject, context), name: client.name }
  return clientOfFile(source)
}

/** Throws NOT_FOUND when there is no file, it has no servers, or `--only` names an unknown server. */
async function readPlan(
  { env }: CommandContext,
  { client, file }: Source,
  { only, set }: { only: readonly string[]; set: readonly string[] },
): Promise<ImportedServer[]> {
  if (!existsSync(file))
    throw new HostingError('NOT_FOUND', `${file} does not exist.`, {
      next: [{ description: 'List the clients and their files', command: 'mcp import' }],
    })
  const values = readEnvVars([], set, env)
  const entries = await listServerEntries(client, file)
  const names = entries.map(({ name }) => name)
  const unknown = only.find(name => !names.includes(name))
  if (names.length === 0 || unknown !== undefined)
    throw new HostingError(
      'NOT_FOUND',
      `${file} has no server${unknown === undefined ? 's' : ` "${unknown}"`}.`,
      {
        details: names.length > 0 ? `Its servers: ${names.join(', ')}` : undefined,
      },
    )
  const wanted = entries.filter(({ name }) => only.length === 0 || only.includes(name))
  return wanted.map(entry => planImport(entry, { set: values, env }))
}

function showPlan({ output }: CommandContext, plan: readonly ImportedServer[]): void {
  output.table(
    ['SERVER', 'RUNS', 'VARIABLES'],
    plan
      .filter(({ project }) => project)
      .map(({ name, source, variables }) => [name, source, variables.join(', ')]),
    'No server can be hosted.',
  )
  const others = plan.filter(({ reason }) => reason !== undefined)
  if (others.length > 0) output.line()
  for (const { entry, reason, source } of others)
    output.line(`Not hosted: ${entry} (${source}), because ${reason}.`)
}

/** Undefined when no server was hosted, or when the user does not connect the client. */
async function connect(
  { output, globals }: CommandContext,
  { client, file }: Source,
  { results, isWanted }: { results: readonly HostedServer[]; isWanted: boolean },
): Promise<ConfigChange | undefined> {
  const servers = results.flatMap(({ entry, url }) => (url === undefined ? [] : [{ name: entry, url }]))
  if (servers.length === 0) return undefined
  const asks = !isWanted && output.interactive && !globals.yes
  const isConnecting = asks ? await ask(`Change ${file} to use the hosted servers?`) : isWanted
  return isConnecting ? replaceServers(client, file, servers) : undefined
}

interface Report {
  source: string
  config: Source
  plan: readonly ImportedServer[]
  results: readonly HostedServer[]
  change: ConfigChange | undefined
}

async function report(
  { output }: CommandContext,
  { source, config, plan, results, change }: Report,
): Promise<ExitCode | undefined> {
  const failed = results.filter(({ failure }) => failure !== undefined)
  const servers = plan.map(server => toRecord(results.find(({ entry }) => entry === server.entry) ?? server))
  output.result({ file: config.file, servers, ...(change && { change }) }, () => {
    output.line()
    for (const { name, url } of results) if (url !== undefined) output.line(`Hosted ${name} at ${url}`)
    if (change?.changed)
      output.line(
        config.name
          ? `${config.name} now uses the hosted servers: ${config.file}`
          : `Clients that read ${config.file} now use the hosted servers.`,
      )
    if (change?.backup) output.note(`Previous file: ${change.backup}`)
    const word = quoteShellWord(source)
    if (change?.changed)
      output.next(...(config.name ? [{ description: config.client.nextAction }] : []), {
        description: 'Restore the previous entries',
        command: `mcp import ${word} --undo`,
      })
    else if (results.length > 0 && failed.length === 0)
      output.next({
        description: 'Point the client at the hosted servers',
        command: `mcp import ${word} --connect`,
      })
  })
  for (const { name, failure, next } of failed)
    await reportFailure(output, `${name} is not hosted`, failure, next)
  return failed.length > 0 ? EXIT.failed : undefined
}

function toRecord({ project, failure, next: _next, ...server }: HostedServer): object {
  const { deployment_id, url, reason } = server
  const action = url ? 'hosted' : failure ? 'failed' : reason === undefined ? 'host' : 'skipped'
  return {
    ...server,
    action,
    ...(deployment_id && { deployment_id }),
    ...(failure && { error: failure.message, ...(failure.details && { details: failure.details }) }),
    ...(project && { program: project.request.program }),
  }
}

async function undo({ output }: CommandContext, { client, file, name }: Source): Promise<void> {
  const { change, restored } = await restoreServers(client, file)
  output.result({ ...(name && { client: client.id }), restored, ...change }, () => {
    output.line(
      restored.length > 0
        ? `Restored ${restored.join(', ')} in ${file}`
        : `${file} has changed since the import. Nothing was restored.`,
    )
    if (restored.length > 0)
      output.next(...(name ? [{ description: client.nextAction }] : []), ...restored.map(removeStep))
  })
}

/** Only suggests the removal, because other clients may also use the hosted server. */
function removeStep(entry: string): NextStep {
  const name = serverNameOf(entry)
  return {
    description: `If ${name} is still hosted, remove it`,
    command: `mcp remove ${quoteShellWord(name)}`,
  }
}
