import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { HostingError } from '../../shared/errors.ts'
import { connectClient, disconnectClient, snippetFor } from '../clients/config.ts'
import { CLIENTS, type Machine, type McpClient } from '../clients/list.ts'
import { defineCommand } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { resolveTarget, SERVER_OPTIONS } from '../server-target.ts'

export default defineCommand({
  name: 'connect',
  summary: "put a server into an MCP client's configuration",
  description:
    'Writes the entry that a client needs and keeps everything else in its file, comments too; a copy of the file as it was is left beside it. Without --client it lists the clients.',
  arguments: { server: { doc: "URL, server's name, deployment id or mcp_id", required: true } },
  options: {
    client: { type: 'string', value: 'client', choices: CLIENTS.map(({ id }) => id), doc: 'which client' },
    project: { type: 'boolean', doc: "the project's file in this folder instead of the user's" },
    name: { type: 'string', value: 'name', doc: "name of the entry (default: the server's)" },
    print: { type: 'boolean', doc: 'print what would be written, write nothing' },
    remove: { type: 'boolean', doc: 'take the entry out again' },
    force: { type: 'boolean', doc: 'replace an entry of that name that leads elsewhere' },
    env: SERVER_OPTIONS.env,
  },
  examples: [
    { command: 'mcp connect weather --client claude', does: 'for all your work' },
    { command: 'mcp connect weather --client vscode --project', does: 'for this folder only' },
    { command: 'mcp connect weather --client codex --print', does: 'only show it' },
    { command: 'mcp connect weather --client cursor --remove', does: 'take it out again' },
  ],
  async run(context, input) {
    const client = CLIENTS.find(({ id }) => id === input.client)
    if (!client) return listClients(context, input.server)
    const file = fileOf(client, input.project, context)
    if (input.remove) return remove(context, client, file, input.name ?? input.server)
    const target = await resolveTarget(context, input.server, input.env)
    const server = { name: input.name ?? entryName(target.name), url: target.url }
    if (input.print) return print(context, client, file, server)
    const change = await connectClient(client, file, server, input.force)
    context.output.result({ client: client.id, ...server, ...change }, () => {
      const { output } = context
      output.line(
        change.changed
          ? `${client.name} now knows ${server.name} (${server.url}): ${file}`
          : `${client.name} already knows ${server.name}: ${file}`,
      )
      if (change.backup) output.note(`The file as it was: ${change.backup}`)
      output.next({ description: client.afterwards })
    })
  },
})

function machineOf({ env }: CommandContext): Machine {
  return { platform: process.platform, home: homedir(), env }
}

function fileOf(client: McpClient, project: boolean, context: CommandContext): string {
  if (!project) return client.userFile(machineOf(context))
  if (client.projectFile) return join(context.cwd, client.projectFile)
  throw new HostingError(
    'INVALID_REQUEST',
    `${client.name} has no configuration per project: leave --project out.`,
  )
}

/** For a URL its host: what clients show beside the tools. */
function entryName(name: string): string {
  return URL.parse(name)?.host.replace(/[^A-Za-z0-9_-]+/g, '-') ?? name
}

async function remove(
  { output }: CommandContext,
  client: McpClient,
  file: string,
  name: string,
): Promise<void> {
  const change = await disconnectClient(client, file, name)
  output.result({ client: client.id, name, ...change }, () => {
    output.line(change.changed ? `Took ${name} out of ${file}` : `${file} has no server "${name}".`)
    if (change.backup) output.note(`The file as it was: ${change.backup}`)
  })
}

async function print(
  { output }: CommandContext,
  client: McpClient,
  file: string,
  server: { name: string; url: string },
): Promise<void> {
  const snippet = await snippetFor(client, server)
  output.result({ client: client.id, ...server, file, entry: client.entry(server.url), snippet }, () => {
    output.note(`In ${file}:`)
    output.line(snippet)
  })
}

function listClients(context: CommandContext, server: string): void {
  const machine = machineOf(context)
  const clients = CLIENTS.map(client => {
    const file = client.userFile(machine)
    return {
      client: client.id,
      name: client.name,
      file,
      found: existsSync(file) || existsSync(dirname(file)),
    }
  })
  context.output.result(clients, () => {
    const rows = clients.map(one => [one.client, one.name, one.found ? 'found' : '', one.file])
    context.output.table(['CLIENT', 'NAME', '', 'FILE'], rows)
    const first = clients.find(({ found }) => found) ?? clients[0]!
    context.output.next({ description: 'Connect', command: `mcp connect ${server} --client ${first.client}` })
  })
}
