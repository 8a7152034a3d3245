import type { Artifact, Era, Program } from '../../shared/definitions/artifact.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { moduleCapabilities } from '../module/capabilities.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { prepareServer } from './prepare-server.ts'
import type { PreparedServer, ServerCapabilities } from './prepared-server.ts'

/** Methods that clients call when they connect or refresh lists. The artifact answers them. */
const ANSWERED_WHILE_ASLEEP: readonly unknown[] = [
  'initialize',
  'server/discover',
  'ping',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'subscriptions/listen',
]

/**
 * True for messages that must wake the server: batches, requests that the artifact cannot answer, and all messages of an era that
 * the server does not speak.
 */
export function mustWake(message: unknown, era: Era, { eras }: PreparedServer): boolean {
  if (eras && !eras.includes(era)) return true
  if (Array.isArray(message)) return true
  return (
    isObject(message) &&
    'id' in message &&
    'method' in message &&
    !ANSWERED_WHILE_ASLEEP.includes(message.method)
  )
}

/** Answers lists from the artifact until the server wakes in another process. */
export function prepareSleepingServer(artifact: Artifact, tenant: Tenant): PreparedServer {
  const declared = prepareServer(artifact, tenant)
  const { program } = artifact
  if (program === undefined) return declared
  const capabilities =
    program.type === 'module' ? moduleCapabilities(artifact) : programCapabilities(artifact)
  const asleep: PreparedServer = { ...declared, capabilities, sendsServerRequests: true }
  if (!servesHttp(program)) return asleep
  // The program has its own paths and may speak only one era. If the build did not record which one, any request wakes it.
  const eras = artifact.capabilities?.eras
  return {
    ...asleep,
    ...(eras && { eras, ownPath: '/mcp' }),
    forward: async exchange => exchange.tenant.wakeUp?.(exchange, undefined, () => {}),
  }
}

/**
 * True for a program or image that speaks HTTP. In artifacts from earlier versions, images have no transport, and all of them
 * speak HTTP.
 */
function servesHttp(program: Program): boolean {
  return program.type === 'http' || (program.type === 'image' && program.transport !== 'stdio')
}

/** Capabilities that the build recorded. */
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
