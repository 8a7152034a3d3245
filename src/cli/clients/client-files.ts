import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { HostingError, type NextStep } from '../../shared/errors.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { CLIENTS, type Machine, type McpClient } from './list.ts'

/** A client and its configuration file to read or change. */
export interface ClientFile {
  client: McpClient
  file: string
}

/** Path of a client's configuration, either for the user or for the project in this folder. Throws INVALID_REQUEST. */
export function configFile(client: McpClient, isForProject: boolean, context: CommandContext): string {
  if (!isForProject) return client.userFile(machineOf(context))
  if (client.projectFile) return join(context.cwd, client.projectFile)
  throw new HostingError('INVALID_REQUEST', `${client.name} has no project configuration. Omit --project.`)
}

/** Clients whose configuration file or folder exists on this machine. */
export function installedClients(context: CommandContext): McpClient[] {
  const machine = machineOf(context)
  return CLIENTS.filter(client => {
    const file = client.userFile(machine)
    return existsSync(file) || existsSync(client.folder?.(machine) ?? dirname(file))
  })
}

/**
 * Prints all clients and their configurations. `next`: returns the next step. Its argument is the first client that has a
 * configuration file, if any.
 */
export function showClients(
  context: CommandContext,
  next: (client: McpClient | undefined) => NextStep,
): void {
  const machine = machineOf(context)
  const installed = installedClients(context)
  const clients = CLIENTS.map(client => ({
    client: client.id,
    name: client.name,
    file: client.userFile(machine),
    found: installed.includes(client),
    has_file: existsSync(client.userFile(machine)),
  }))
  context.output.result(clients, () => {
    const stateOf = (one: (typeof clients)[number]) =>
      one.has_file ? 'found' : one.found ? 'no file yet' : ''
    const rows = clients.map(one => [one.client, one.name, stateOf(one), one.file])
    context.output.table(['CLIENT', 'NAME', '', 'FILE'], rows)
    const first = clients.find(one => one.has_file)
    context.output.next(next(CLIENTS.find(({ id }) => id === first?.client)))
  })
}

function machineOf({ env }: CommandContext): Machine {
  return { platform: process.platform, home: homedir(), env }
}
