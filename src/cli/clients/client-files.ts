import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { HostingError, type NextStep } from '../../shared/errors.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { CLIENTS, type Machine, type McpClient } from './list.ts'

/** Path of a client's configuration, the user's or that of the project in this folder. Throws INVALID_REQUEST. */
export function configFile(client: McpClient, isOfProject: boolean, context: CommandContext): string {
  if (!isOfProject) return client.userFile(machineOf(context))
  if (client.projectFile) return join(context.cwd, client.projectFile)
  throw new HostingError('INVALID_REQUEST', `${client.name} has no project configuration. Omit --project.`)
}

/** Prints all clients and their configurations. `next`: a command for the first installed one. */
export function showClients(context: CommandContext, next: (client: McpClient) => NextStep): void {
  const machine = machineOf(context)
  const clients = CLIENTS.map(client => {
    const file = client.userFile(machine)
    const found = existsSync(file) || existsSync(dirname(file))
    return { client: client.id, name: client.name, file, found }
  })
  context.output.result(clients, () => {
    const rows = clients.map(one => [one.client, one.name, one.found ? 'found' : '', one.file])
    context.output.table(['CLIENT', 'NAME', '', 'FILE'], rows)
    const first = clients.find(({ found }) => found) ?? clients[0]!
    context.output.next(next(CLIENTS.find(({ id }) => id === first.client)!))
  })
}

function machineOf({ env }: CommandContext): Machine {
  return { platform: process.platform, home: homedir(), env }
}
