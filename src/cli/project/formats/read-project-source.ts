import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { HostingError } from '../../../shared/errors.ts'
import type { ProjectSource } from '../project-source.ts'
import { parseJson } from './json.ts'
import { loadModule } from './module.ts'
import { parseYaml } from './yaml.ts'

/** Reads JSON, YAML or a module, by extension. Throws INVALID_MCP with file, line and column. */
export async function readProjectSource(file: string): Promise<ProjectSource> {
  switch (extname(file)) {
    case '.yaml':
    case '.yml':
      return parseYaml(file, readText(file))
    case '.ts':
    case '.mts':
    case '.js':
    case '.mjs':
      return loadModule(file)
    default:
      return parseJson(file, readText(file))
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    throw new HostingError('INVALID_REQUEST', `Could not read ${file}: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}
