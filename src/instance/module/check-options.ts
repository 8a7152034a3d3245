import type { ToolDefinition } from '../../sdk/define.ts'
import { nearestName } from '../../shared/names.ts'
import type { LoadedModule } from './load-bundle.ts'

const COMMON = ['kind', 'name', 'title', 'description', 'icons', '_meta', 'handler']

const OPTIONS: Record<LoadedModule['kind'], readonly string[]> = {
  tool: [...COMMON, 'input', 'output', 'inputSchema', 'outputSchema', 'annotations'],
  resource: [...COMMON, 'uri', 'mimeType', 'annotations', 'size', 'complete'],
  prompt: [...COMMON, 'arguments'],
}

/** Names that the protocol and other libraries use for these options. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  parameters: 'input',
  argsSchema: 'arguments',
  uriTemplate: 'uri',
  execute: 'handler',
  run: 'handler',
  read: 'handler',
  load: 'handler',
}

const ALIASES = [
  ['input', 'inputSchema'],
  ['output', 'outputSchema'],
] as const

/** A tool's schemas, under either name. */
export function schemasOf({ input, inputSchema, output, outputSchema }: ToolDefinition) {
  return { input: input ?? inputSchema, output: output ?? outputSchema }
}

/** Throws an Error for unknown or invalid options. Projects without types would not notice a typo otherwise. */
export function checkOptions({ kind, path, definition }: LoadedModule): void {
  if (typeof definition === 'function') return
  const known = OPTIONS[kind]
  const unknown = Object.keys(definition).find(name => !known.includes(name))
  if (unknown !== undefined) {
    const other = Object.hasOwn(OTHER_NAMES, unknown) ? OTHER_NAMES[unknown] : undefined
    const meant = other && known.includes(other) ? other : nearestName(unknown, known)
    const hint = meant ? `. Did you mean "${meant}"?` : `. Known options: ${known.slice(1).join(', ')}.`
    throw new Error(`${path}: "${unknown}" is not a known option of a ${kind}${hint}`)
  }
  for (const [name, alias] of ALIASES)
    if (name in definition && alias in definition)
      throw new Error(`${path}: "${name}" and "${alias}" are the same option. Remove one of them.`)
  if (kind === 'prompt' && Array.isArray((definition as { arguments?: unknown }).arguments))
    throw new Error(`${path}: "arguments" must be an object, such as { city: { description: '…' } }`)
}
