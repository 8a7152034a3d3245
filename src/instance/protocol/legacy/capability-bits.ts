import { isObject } from '../json-rpc.ts'

/** Capabilities that determine what a client can be asked, in bit order. Session ids depend on the order. */
const PATHS = [
  'sampling',
  'sampling.tools',
  'sampling.context',
  'elicitation',
  'elicitation.form',
  'elicitation.url',
  'roots',
  'roots.listChanged',
] as const

export function capabilityBits(capabilities: Readonly<Record<string, unknown>>): number {
  return PATHS.reduce((bits, path, index) => (valueAt(capabilities, path) ? bits | (1 << index) : bits), 0)
}

/** Capabilities that these bits stand for. */
export function capabilitiesOf(bits: number): Record<string, unknown> {
  const capabilities: Record<string, Record<string, unknown>> = {}
  for (const [index, path] of PATHS.entries()) {
    if (!(bits & (1 << index))) continue
    const [name, part] = path.split('.') as [string, string?]
    capabilities[name] ??= {}
    if (part) capabilities[name][part] = part === 'listChanged' ? true : {}
  }
  return capabilities
}

function valueAt(capabilities: Readonly<Record<string, unknown>>, path: string): unknown {
  const [name, part] = path.split('.') as [string, string?]
  const own = capabilities[name]
  return part === undefined ? own : isObject(own) && own[part]
}
