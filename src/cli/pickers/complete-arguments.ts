import type { HostingError } from '../../shared/errors.ts'
import type { Schema } from '../../shared/surface/schema-view.ts'
import type { ArgumentSchema } from '../choices/argument-choices.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { missingValue } from './missing-value.ts'

interface Owner {
  /** Name of the tool or prompt. */
  name: string
  inputSchema: object
  /** Command that shows the arguments of the tool or prompt. */
  help: string
}

/**
 * At a terminal, asks for missing required arguments, and for optional ones if no argument is given. Elsewhere, throws
 * INVALID_REQUEST listing all arguments.
 */
export async function completeArguments(
  { output }: CommandContext,
  owner: Owner,
  values: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const schema = owner.inputSchema as ArgumentSchema
  const missing = (schema.required ?? []).filter(name => !(name in values))
  if (missing.length === 0) return values
  if (!output.interactive) {
    // Some servers list arguments with a default as required.
    const needed = missing.filter(name => schema.properties?.[name]?.default === undefined)
    if (needed.length === 0) return values
    throw await missingArguments(needed, owner)
  }
  const [{ askValues }, { parseToolArguments }] = await Promise.all([
    import('./ask-values.ts'),
    import('../testing/tool-arguments.ts'),
  ])
  const given = new Set(Object.keys(values))
  const words = await askValues(schema, { given, requiredOnly: given.size > 0 })
  return { ...values, ...parseToolArguments(words, owner.inputSchema as Record<string, unknown>) }
}

/** `Missing city. Arguments of forecast: city (string, required), days (integer).` */
async function missingArguments(
  missing: readonly string[],
  { name, inputSchema, help }: Owner,
): Promise<HostingError> {
  const { typeText } = await import('../output/schema-text.ts')
  const { properties = {}, required = [] } = inputSchema as ArgumentSchema
  const choices = Object.entries(properties).map(([key, own]) => {
    const type = typeText(own, inputSchema as Schema)
    const facts = [type !== 'any' && type, required.includes(key) && 'required'].filter(Boolean)
    return { value: facts.length > 0 ? `${key} (${facts.join(', ')})` : key }
  })
  return missingValue(missing.join(' and '), `Arguments of ${name}`, choices, {
    description: 'Show what they mean',
    command: help,
  })
}
