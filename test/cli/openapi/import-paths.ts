import { join } from 'node:path'
import { expect } from 'vitest'
import { importOpenApi } from '../../../src/cli/openapi/import.ts'
import { validateDefinitions } from '../../../src/shared/validation/validate-definitions.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'

interface Imported {
  name: string
  env: { name: string; default?: string; required?: boolean }[]
  // biome-ignore lint/suspicious/noExplicitAny: the tests inspect plain JSON.
  tools: any[]
  deploy?: object
}

/** Imports a description with these paths. `rest`: its other members. `files`: other files in its folder. */
export async function importPaths(
  paths: object,
  rest: object = {},
  files: Record<string, string> = {},
): Promise<Imported & { warnings: string[] }> {
  const info = { title: 'Pet Store', version: '1.0.0' }
  using folder = createProjectFolder({
    ...files,
    'api.json': JSON.stringify({ openapi: '3.0.3', info, paths, ...rest }),
  })
  const { project, warnings } = await importOpenApi(join(folder.path, 'api.json'), 'pet-store')
  const { deploy: _deploy, ...request } = project
  // The output of init must build.
  expect(validateDefinitions(request)).not.toHaveProperty('problems')
  return { ...(project as unknown as Imported), warnings }
}

export const ok = { responses: { 200: { description: 'fine' } } }
export const json = (schema: object) => ({ content: { 'application/json': { schema } } })
