import { execFileSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeFileAtomic } from '../src/shared/atomic-file.ts'
import { projectFileSchema } from '../src/shared/project-file.ts'
import { toSchemaDocument } from '../src/shared/schema-document.ts'
import { suiteSchema } from '../src/shared/test-suite.ts'

/** Where editors find the JSON Schema of a project file, in the package. */
export const SCHEMA_FILE = fileURLToPath(new URL('../schema/mcp.config.json', import.meta.url))

export const SUITE_SCHEMA_FILE = fileURLToPath(new URL('../schema/suite.json', import.meta.url))

/** The JSON Schema of a test suite, made from the one that validates it. */
export function createSuiteSchema(): string {
  const schema = toSchemaDocument(suiteSchema, { io: 'input', target: 'draft-7' })
  return JSON.stringify({ title: 'Test suite of an MCP server', ...schema })
}

/** The JSON Schema of `mcp.config.json`, made from the one that validates it. Draft-07 is what editors complete with. */
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
