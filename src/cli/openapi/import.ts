import { convertOpenApi, type ImportedProject } from '../../shared/openapi/convert.ts'
import { readOpenApi } from './read-description.ts'

/**
 * Converts an OpenAPI 3.0 or 3.1 description (JSON or YAML) into an advanced server with one tool per operation. `source` is a
 * path or URL. Throws INVALID_REQUEST for an invalid description.
 */
export async function importOpenApi(source: string, name: string): Promise<ImportedProject> {
  return convertOpenApi(await readOpenApi(source), name)
}
