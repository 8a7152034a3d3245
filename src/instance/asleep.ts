import type { Artifact, Era } from '../shared/artifact.ts'
import type { Tenant } from '../shared/instance-protocol.ts'
import type { Exchange } from './http/exchange.ts'
import { moduleCapabilities } from './module/capabilities.ts'
import { prepareServer } from './prepare-server.ts'
import type { PreparedServer, ServerCapabilities } from './prepared-server.ts'
import { isObject } from './protocol/json-rpc.ts'

/** Takes a request that the artifact alone cannot answer. `text`: its body; `serve` answers it here. */
export type WakeUp = (exchange: Exchange, text: string | undefined, serve: () => void) => void

/** What a client asks when it connects, and what it may go on asking to see what there is. */
const ANSWERED_ASLEEP: readonly unknown[] = [
  'initialize',
  'server/discover',
  'ping',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'subscriptions/listen',
]

/** Notifications and answers concern nothing that is asleep. */
export function needsServer(message: unknown, era: Era, { eras }: PreparedServer): boolean {
  if (eras && !eras.includes(era)) return true
  if (Array.isArray(message)) return true
  return (
    isObject(message) && 'id' in message && 'method' in message && !ANSWERED_ASLEEP.includes(message.method)
  )
}

/** The lists of a server whose code runs elsewhere, once it is woken. */
export function prepareAsleep(artifact: Artifact, tenant: Tenant): PreparedServer {
  const declared = prepareServer(artifact, tenant)
  const { program } = artifact
  if (program === undefined) return declared
  const capabilities =
    program.type === 'module' ? moduleCapabilities(artifact) : programCapabilities(artifact)
  const asleep: PreparedServer = { ...declared, capabilities, speaksUnasked: true }
  if (program.type !== 'http' && program.type !== 'image') return asleep
  // It has paths of its own, and not always both eras. Of a build that does not tell which, it is asked itself.
  const eras = artifact.capabilities?.eras
  return {
    ...asleep,
    ...(eras && { eras, ownPath: '/mcp' }),
    forward: async exchange => exchange.tenant.wakeUp?.(exchange, undefined, () => {}),
  }
}

/** As the program said when it was built. */
function programCapabilities({ tools, resources, prompts, capabilities = {} }: Artifact): ServerCapabilities {
  const { listChanged, subscribe, completions, logging } = capabilities
  const changes = listChanged ? { listChanged } : {}
  return {
    ...(tools.length > 0 && { tools: changes }),
    ...(resources.length > 0 && { resources: { ...changes, ...(subscribe && { subscribe }) } }),
    ...(prompts.length > 0 && { prompts: changes }),
    ...(completions && { completions: {} }),
    ...(logging && { logging: {} }),
  }
}
