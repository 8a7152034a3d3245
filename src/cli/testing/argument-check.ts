/** False for arguments that violate the schema of their tool. Loads ajv, which takes a third of the time of a call. */
export async function fitsSchema(args: unknown, schema: Record<string, unknown>): Promise<boolean> {
  const { compileSchema } = await import('../../shared/json/json-schema.ts')
  try {
    return compileSchema(schema)(args)
  } catch {
    // A schema that cannot be compiled rejects no arguments.
    return true
  }
}
