import { notLoaded } from '../../components/lazy-view.tsx'
import { notify } from '../../components/notices.tsx'

/** Matches every OpenAPI description, and a few other texts. */
const MAY_BE_OPENAPI = /(^|[{,])\s*["']?(openapi|swagger)["']?\s*:/m

/**
 * The text of a definition. An OpenAPI description is converted, and a notice says which operations were omitted. `name`: name of
 * the server, if it exists. Throws INVALID_REQUEST for a description that cannot be converted.
 */
export async function definitionText(text: string, name?: string): Promise<string> {
  if (!MAY_BE_OPENAPI.test(text)) return text
  const { openApiDefinition } = await import('./openapi-definition.ts').catch(cause => {
    throw notLoaded('the OpenAPI import', cause)
  })
  const definition = openApiDefinition(text, name)
  if (definition?.warning) notify(definition.warning)
  return definition?.text ?? text
}
