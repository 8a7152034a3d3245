import { isObject, type JsonObject } from '../protocol/json-rpc.ts'
import type { ServerCapabilities } from '../server/prepared-server.ts'

export function forwardedCapabilities({
  tools,
  resources,
  prompts,
  completions,
  logging,
}: JsonObject): ServerCapabilities {
  return {
    ...(isObject(tools) && { tools: flags(tools, 'listChanged') }),
    ...(isObject(resources) && { resources: flags(resources, 'subscribe', 'listChanged') }),
    ...(isObject(prompts) && { prompts: flags(prompts, 'listChanged') }),
    ...(isObject(completions) && { completions: {} }),
    ...(isObject(logging) && { logging: {} }),
  }
}

function flags(from: JsonObject, ...names: string[]): Record<string, boolean> {
  return Object.fromEntries(names.filter(name => from[name] === true).map(name => [name, true]))
}
