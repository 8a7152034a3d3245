import { connect } from 'node:net'
import { homedir } from 'node:os'
import { type Check, type Finding, fail, pass, warn } from '../../shared/check.ts'
import { HostingError } from '../../shared/errors.ts'
import { listConnected } from '../clients/config.ts'
import { CLIENTS, type McpClient } from '../clients/list.ts'
import type { CommandContext } from '../command-line/command-context.ts'

const CONNECT_TIMEOUT_MS = 2000

/** Checks that a server listens at each local URL in the user's configurations of MCP clients. */
export const CLIENT_CHECKS: readonly Check<CommandContext>[] = [{ name: 'clients', run: checkClients }]

async function checkClients({ env }: CommandContext): Promise<Finding[]> {
  const machine = { platform: process.platform, home: homedir(), env }
  const findings = await Promise.all(CLIENTS.map(client => checkClient(client, client.userFile(machine))))
  const all = findings.flat()
  return all.length > 0 ? all : [pass('no client is configured for a server on this machine')]
}

async function checkClient(client: McpClient, file: string): Promise<Finding[]> {
  try {
    const servers = (await listConnected(client, file)).filter(({ url }) => isLocal(url))
    return await Promise.all(servers.map(server => checkServer(client, server)))
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    return [warn(`${client.name}: ${error.message}`, 'Correct the file, which the client cannot read either')]
  }
}

async function checkServer(
  client: McpClient,
  { name, url }: { name: string; url: string },
): Promise<Finding> {
  if (await isListening(url)) return pass(`${client.name} → ${name} (${url})`)
  return fail(
    `${client.name} → ${name}: no server responds at ${url}`,
    'Deploy it again, or remove the entry',
    `mcp connect ${name} --client ${client.id} --remove`,
  )
}

function isLocal(url: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(URL.parse(url)?.hostname ?? '')
}

/** Only connects, because a request would wake a sleeping server. */
function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  const host = hostname.endsWith('localhost') ? '127.0.0.1' : hostname.replace(/^\[|\]$/g, '')
  const socket = connect({ host, port: Number(port || 80), timeout: CONNECT_TIMEOUT_MS })
  return new Promise(resolve => {
    const end = (result: boolean) => {
      socket.destroy()
      resolve(result)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })
}
