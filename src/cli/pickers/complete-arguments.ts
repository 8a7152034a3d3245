import type { ArgumentSchema } from '../choices/argument-choices.ts'
import type { CommandContext } from '../command-line/command-context.ts'

/** Asks for required arguments that are missing, at a terminal. Elsewhere the server reports them. */
export async function completeArguments(
  { output }: CommandContext,
  inputSchema: object,
  values: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { required = [] } = inputSchema as ArgumentSchema
  if (!output.interactive || required.every(name => name in values)) return values
  const [{ askValues }, { parseToolArguments }] = await Promise.all([
    import('./ask-values.ts'),
    import('../testing/tool-arguments.ts'),
  ])
  const given = new Set(Object.keys(values))
  const words = await askValues(inputSchema as ArgumentSchema, { given, requiredOnly: given.size > 0 })
  return { ...values, ...parseToolArguments(words, inputSchema as Record<string, unknown>) }
}
