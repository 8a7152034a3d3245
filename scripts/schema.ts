import { execFileSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeFileAtomic } from '../src/shared/atomic-file.ts'
import { projectFileSchema } from '../src/shared/definitions/project-file.ts'
import { suiteSchema } from '../src/shared/definitions/test-suite.ts'
import { toSchemaDocument } from '../src/shared/json/schema-document.ts'

/** Path of the JSON Schema of a project file in the package, for editors. */
export const SCHEMA_FILE = fileURLToPath(new URL('../schema/mcp.config.json', import.meta.url))

export const SUITE_SCHEMA_FILE = fileURLToPath(new URL('../schema/suite.json', import.meta.url))

/** JSON Schema of a test suite, generated from the schema that validates it. */
export function createSuiteSchema(): string {
  const schema = toSchemaDocument(suiteSchema, { io: 'input', target: 'draft-7' })
  return JSON.stringify({ title: 'Test suite of an MCP server', ...schema })
}

/** JSON Schema of `mcp.config.json`, generated from the schema that validates it. Editors need draft-07 for completion. */
export function createProjectFileSchema(): string {
  const schema = toSchemaDocument(projectFileSchema, { io: 'input', target: 'draft-7' })
  return JSON.stringify({ title: 'MCP server project', ...schema })
}

if (import.meta.main) {
  for (const [file, input] of [
    [SCHEMA_FILE, createProjectFileSchema()],
    [SUITE_SCHEMA_FILE, createSuiteSchema()],
  ] as const) {
    const args = ['biome', 'format', `--stdin-file-path=schema/${basename(file)}`]
    writeFileAtomic(file, execFileSync('npx', args, { input }), 0o644)
    console.log(`wrote ${join('schema', basename(file))}`)
  }
}
