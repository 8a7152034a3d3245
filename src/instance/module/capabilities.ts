import type { Artifact } from '../../shared/definitions/artifact.ts'
import type { ServerCapabilities } from '../server/prepared-server.ts'

/** Capabilities of a server with modules, whose code may log and announce changes at any time. */
export function moduleCapabilities({
  tools,
  resources,
  prompts,
  capabilities = {},
}: Artifact): ServerCapabilities {
  const completes =
    capabilities.completions ||
    [...resources, ...prompts].some(({ completions }) => completions !== undefined)
  return {
    ...(tools.length > 0 && { tools: { listChanged: true } }),
    ...(resources.length > 0 && { resources: { subscribe: true, listChanged: true } }),
    ...(prompts.length > 0 && { prompts: { listChanged: true } }),
    ...(completes && { completions: {} }),
    logging: {},
  }
}
