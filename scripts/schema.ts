import { execFileSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { writeFileAtomic } from '../src/shared/atomic-file.ts'
import { projectFileSchema } from '../src/shared/project-file.ts'
import { suiteSchema } from '../src/shared/test-suite.ts'
import { DESCRIPTIONS } from './schema-descriptions.ts'

/** Where editors find the JSON Schema of a project file, in the package. */
export const SCHEMA_FILE = fileURLToPath(new URL('../schema/mcp.config.json', import.meta.url))

export const SUITE_SCHEMA_FILE = fileURLToPath(new URL('../schema/suite.json', import.meta.url))

/** The JSON Schema of a test suite, made from the one that validates it. */
export function createSuiteSchema(): string {
  const schema = z.toJSONSchema(suiteSchema, { io: 'input', target: 'draft-7', reused: 'ref' })
  return JSON.stringify({ title: 'Test suite of an MCP server', ...schema })
}

/** The JSON Schema of `mcp.config.json`, made from the one that validates it. Draft-07 is what editors complete with. */
export function createProjectFileSchema(): string {
  const schema = z.toJSONSchema(projectFileSchema, { io: 'input', target: 'draft-7', reused: 'ref' })
  describe(schema, schema, '', new Set())
  return JSON.stringify({ title: 'MCP server project', ...schema })
}

type Node = { [keyword: string]: unknown }

/** Puts the descriptions in by path, through references and alternatives; `seen` holds schemas that are shared. */
function describe(root: Node, node: Node, path: string, seen: Set<Node>): void {
  if (typeof node.$ref === 'string') {
    const target = node.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, segment) => (at as Node)[segment], root) as Node
    if (seen.has(target)) return
    seen.add(target)
    return describe(root, target, path, seen)
  }
  for (const [name, property] of Object.entries((node.properties ?? {}) as Record<string, Node>)) {
    const inner = path ? `${path}.${name}` : name
    if (DESCRIPTIONS[inner]) property.description = DESCRIPTIONS[inner]
    describe(root, property, inner, seen)
  }
  const parts = [node.items, node.additionalProperties, ...[node.anyOf, node.oneOf, node.allOf].flat()]
  for (const part of parts) if (typeof part === 'object' && part) describe(root, part as Node, path, seen)
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
