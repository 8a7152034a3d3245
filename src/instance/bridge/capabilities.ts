import type { ServerCapabilities } from '../prepared-server.ts'
import { isObject } from '../protocol/json-rpc.ts'
import type { Result } from './rpc-channel.ts'

/** Of what a program says that it can, the part that a bridge passes on. */
export function passedCapabilities({
  tools,
  resources,
  prompts,
  completions,
  logging,
}: Result): ServerCapabilities {
  return {
    ...(isObject(tools) && { tools: flags(tools, 'listChanged') }),
    ...(isObject(resources) && { resources: flags(resources, 'subscribe', 'listChanged') }),
    ...(isObject(prompts) && { prompts: flags(prompts, 'listChanged') }),
    ...(isObject(completions) && { completions: {} }),
    ...(isObject(logging) && { logging: {} }),
  }
}

function flags(from: Result, ...names: string[]): Record<string, boolean> {
  return Object.fromEntries(names.filter(name => from[name] === true).map(name => [name, true]))
}
