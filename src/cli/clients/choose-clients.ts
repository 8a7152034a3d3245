import { HostingError } from '../../shared/errors.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { repeatedCommand } from '../output/repeated-command.ts'
import { pick } from '../pickers/pick.ts'
import { type ClientFile, configFile, installedClients } from './client-files.ts'
import { entryOf, readConfig, readEntries } from './config.ts'
import { CLIENTS, type McpClient } from './list.ts'

interface ClientOptions {
  /** Value of `--client`. */
  client: string | undefined
  all: boolean
  project: boolean
  /** Without `client`, considers only clients that have an entry with this name. */
  entry: string | undefined
}

/**
 * The client given with `--client`, every client found with `--all`, otherwise the only client found or the one chosen at a
 * terminal. Throws NOT_FOUND when no client was found, and INVALID_REQUEST when there are several and no terminal.
 */
export async function chooseClients(context: CommandContext, wanted: ClientOptions): Promise<ClientFile[]> {
  const isChoice = wanted.client !== undefined
  if (isChoice && wanted.all)
    throw new HostingError('INVALID_REQUEST', '--client and --all cannot be combined.')
  const toFile = (client: McpClient) => ({ client, file: configFile(client, wanted.project, context) })
  if (isChoice) return [toFile(CLIENTS.find(({ id }) => id === wanted.client)!)]
  const installed = installedClients(context).filter(one => !wanted.project || one.projectFile)
  const found: ClientFile[] = []
  for (const one of installed.map(toFile))
    if (wanted.entry === undefined || (await hasEntry(one, wanted.entry))) found.push(one)
  if (found.length === 0) throw notFound(wanted)
  return wanted.all ? found : [await chooseOne(context, found)]
}

/** False for a damaged file. */
async function hasEntry({ client, file }: ClientFile, name: string): Promise<boolean> {
  try {
    return entryOf(await readEntries(client, readConfig(file), file), name) !== undefined
  } catch (error) {
    if (error instanceof HostingError) return false
    throw error
  }
}

async function chooseOne(context: CommandContext, found: readonly ClientFile[]): Promise<ClientFile> {
  const [first, ...others] = found
  if (others.length === 0) return first!
  if (!context.output.interactive) throw ambiguousClient(context, found)
  const choices = found.map(({ client, file }) => ({
    value: client.id,
    doc: `${client.name}, ${file}`,
  }))
  const id = await pick('Client', choices)
  return found.find(({ client }) => client.id === id)!
}

function ambiguousClient(context: CommandContext, found: readonly ClientFile[]): HostingError {
  const ids = found.map(({ client }) => client.id)
  return new HostingError('INVALID_REQUEST', `Missing --client. Clients found: ${ids.join(', ')}.`, {
    next: [
      { description: 'Use one client', command: repeatedCommand(context, '--client', ids[0]!) },
      { description: 'Use all clients', command: repeatedCommand(context, '--all') },
    ],
  })
}

function notFound({ entry, project }: ClientOptions): HostingError {
  const ids = CLIENTS.filter(one => !project || one.projectFile).map(({ id }) => id)
  if (entry !== undefined) return new HostingError('NOT_FOUND', `No client has a server "${entry}".`)
  return new HostingError(
    'NOT_FOUND',
    `No MCP client was found on this machine. Choose one with --client: ${ids.join(', ')}.`,
  )
}
