import { configFile, showClients } from '../clients/client-files.ts'
import { connectClient, disconnectClient, snippetFor } from '../clients/config.ts'
import { CLIENTS, type McpClient } from '../clients/list.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { SERVER_ARGUMENT, SERVER_OPTIONS } from '../targets/server-input.ts'
import { impliedPreview, resolveTarget } from '../targets/server-target.ts'

export default defineCommand({
  name: 'connect',
  description:
    "Add the server to the client's configuration file and keep everything else in it, including comments. The previous file is kept as a copy. Without --client, list the clients.",
  arguments: { server: SERVER_ARGUMENT },
  options: {
    client: { type: 'string', value: 'client', choices: CLIENTS.map(({ id }) => id), doc: 'the client' },
    project: {
      type: 'boolean',
      doc: "write to the project's configuration in this folder instead of the user's",
    },
    name: { type: 'string', value: 'name', doc: "name of the entry (default: the server's)" },
    print: { type: 'boolean', doc: 'print the entry instead of writing it' },
    remove: { type: 'boolean', doc: 'remove the entry' },
    force: { type: 'boolean', doc: 'overwrite another entry with that name' },
    env: SERVER_OPTIONS.env,
  },
  examples: {
    'mcp connect weather --client claude': 'for all projects',
    'mcp connect weather --client vscode --project': 'for this folder only',
    'mcp connect weather --client codex --print': 'only print it',
    'mcp connect weather --client cursor --remove': 'remove it',
  },
  async run(context, input) {
    const client = CLIENTS.find(({ id }) => id === input.client)
    if (!client)
      return showClients(context, ({ id }) => ({
        description: 'Connect',
        command: `mcp connect ${input.server} --client ${id}`,
      }))
    const file = configFile(client, input.project, context)
    if (input.remove) return remove(context, client, file, input.name ?? input.server)
    const target = await resolveTarget(
      context,
      input.server,
      input.env ?? impliedPreview(context, input.server),
    )
    const server = { name: input.name ?? entryName(target.name), url: target.url }
    if (input.print) return print(context, client, file, server)
    const change = await connectClient(client, file, server, input.force)
    context.output.result({ client: client.id, ...server, ...change }, () => {
      const { output } = context
      output.line(
        change.changed
          ? `Added ${server.name} (${server.url}) to ${client.name}: ${file}`
          : `${client.name} already has ${server.name}: ${file}`,
      )
      if (change.backup) output.note(`Previous file: ${change.backup}`)
      output.next({ description: client.afterwards })
    })
  },
})

/** Host of a URL, which clients show next to the tools. */
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
    output.line(change.changed ? `Removed ${name} from ${file}` : `${file} has no server "${name}".`)
    if (change.backup) output.note(`Previous file: ${change.backup}`)
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
    output.note(`Add to ${file}:`)
    output.line(snippet)
  })
}
