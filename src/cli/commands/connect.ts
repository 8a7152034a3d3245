import { HostingError, type NextStep } from '../../shared/errors.ts'
import { chooseClients } from '../clients/choose-clients.ts'
import type { ClientFile } from '../clients/client-files.ts'
import { connectClient, disconnectClient, snippetFor } from '../clients/config.ts'
import { CLIENTS } from '../clients/list.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import { repeatedCommand } from '../output/repeated-command.ts'
import { SERVER_ARGUMENT, SERVER_OPTIONS, type ServerInput } from '../targets/server-input.ts'
import { chooseTarget } from '../targets/server-target.ts'

export default defineCommand({
  name: 'connect',
  description:
    'Add the server to the configuration of an MCP client and keep everything else in it, including comments. The previous file is kept as a copy. Without --client, use the installed client, or ask which client to use. `mcp import` lists the clients.',
  arguments: { server: SERVER_ARGUMENT },
  options: {
    client: { type: 'string', value: 'client', choices: CLIENTS.map(({ id }) => id), doc: 'the client' },
    all: {
      type: 'boolean',
      doc: 'every installed client; with --remove, every client that has the entry',
    },
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
    'mcp connect weather': 'the installed client, for all projects',
    'mcp connect weather --all': 'every installed client',
    'mcp connect weather --client vscode --project': 'for this folder only',
    'mcp connect weather --client codex --print': 'only print the entry',
    'mcp connect weather --remove': 'remove the entry',
  },
  async run(context, input): Promise<ExitCode> {
    const server = input.remove ? undefined : await findServer(context, input)
    const name = server?.name ?? input.name ?? entryName(input.server)
    const chosen = await chooseClients(context, { ...input, entry: server ? undefined : name })
    const act = (one: ClientFile) => {
      if (!server) return remove(context, one, name)
      return input.print ? print(context, one, server) : add(context, one, server, input.force)
    }
    const results: Result[] = []
    for (const one of chosen) results.push(input.all ? await attempt(context, one, act) : await act(one))
    const records = results.map(({ record }) => record)
    context.output.result(input.all ? records : records[0], () => {
      for (const { show } of results) show?.()
      context.output.next(...results.flatMap(({ nextStep }) => nextStep ?? []))
    })
    return results.some(({ show }) => !show) ? EXIT.failed : EXIT.done
  },
})

interface Server {
  name: string
  url: string
}

interface Result {
  /** Printed with `--json`. */
  record: object
  /** Undefined when the change failed. */
  show?(): void
  nextStep?: NextStep
}

async function findServer(
  context: CommandContext,
  { server, env, name }: { server: string; env: ServerInput['env']; name: string | undefined },
): Promise<Server> {
  const target = await chooseTarget(context, { server, env })
  return { name: name ?? entryName(target.name), url: target.url }
}

/** Entry name for a URL: its host, because clients show the name next to the tools. Returns other names unchanged. */
function entryName(name: string): string {
  return URL.parse(name)?.host.replace(/[^A-Za-z0-9_-]+/g, '-') ?? name
}

/** With `--all`, a damaged file or a conflicting entry of one client does not affect the other clients. */
async function attempt(
  { output }: CommandContext,
  one: ClientFile,
  act: (one: ClientFile) => Promise<Result>,
): Promise<Result> {
  try {
    return await act(one)
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    const { client, file } = one
    const { code, message, details, next } = error
    await output.error(
      new HostingError(code, `${client.name} was not changed: ${message}`, { details, next, cause: error }),
    )
    return { record: { client: client.id, file, changed: false, error: error.message } }
  }
}

async function add(
  context: CommandContext,
  { client, file }: ClientFile,
  server: Server,
  force: boolean,
): Promise<Result> {
  const change = await connectClient(client, file, server, force).catch(error => {
    throw withPrintStep(error, context)
  })
  const { output } = context
  return {
    record: { client: client.id, ...server, ...change },
    show() {
      output.line(
        change.changed
          ? `Added ${server.name} (${server.url}) to ${client.name}: ${file}`
          : `${client.name} already has ${server.name}: ${file}`,
      )
      if (change.backup) output.note(`Previous file: ${change.backup}`)
    },
    nextStep: { description: client.nextAction },
  }
}

/** Adds the command that prints the entry to an error about a file that cannot be edited. Returns other errors unchanged. */
function withPrintStep(error: unknown, context: CommandContext): unknown {
  if (!(error instanceof HostingError) || error.code !== 'INVALID_REQUEST') return error
  const { code, message, details, next } = error
  const print = {
    description: 'Or print the entry and add it by hand',
    command: repeatedCommand(context, '--print'),
  }
  return new HostingError(code, message, { details, next: [...next, print], cause: error })
}

async function remove(
  { output }: CommandContext,
  { client, file }: ClientFile,
  name: string,
): Promise<Result> {
  const change = await disconnectClient(client, file, name)
  return {
    record: { client: client.id, name, ...change },
    show() {
      output.line(change.changed ? `Removed ${name} from ${file}` : `${file} has no server "${name}".`)
      if (change.backup) output.note(`Previous file: ${change.backup}`)
    },
  }
}

async function print(
  { output }: CommandContext,
  { client, file }: ClientFile,
  server: Server,
): Promise<Result> {
  const snippet = await snippetFor(client, server)
  return {
    record: { client: client.id, ...server, file, entry: client.entry(server.url), snippet },
    show() {
      output.note(`Add to ${file}:`)
      output.line(snippet)
    },
  }
}
