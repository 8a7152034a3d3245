import * as z from 'zod'

/** Object schemas with a name, a description and an example in the OpenAPI document and the schema of project files. */
export function named(id: string, description: string, example?: object) {
  const meta = { id, description, ...(example && { examples: [example] }) }
  return {
    object: <S extends z.ZodRawShape>(fields: S) => z.object(fields).meta(meta),
    strictObject: <S extends z.ZodRawShape>(fields: S) => z.strictObject(fields).meta(meta),
    looseObject: <S extends z.ZodRawShape>(fields: S) => z.looseObject(fields).meta(meta),
  }
}

/** Metadata of a field with examples. */
export function described(description: string, ...examples: unknown[]) {
  return { description, examples }
}
