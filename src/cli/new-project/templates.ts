import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../local-daemon/package-root.ts'
import {
  CONFIG,
  filesIn,
  GITIGNORE_FILE,
  type NewFile,
  type NewProject,
  SCHEMA,
  schemaFile,
} from './project-files.ts'

export const INIT_TEMPLATES = ['basic', 'advanced', 'custom'] as const
export type InitTemplate = (typeof INIT_TEMPLATES)[number]

/** A project from a shipped template. */
export async function fromTemplate(template: InitTemplate, name: string): Promise<NewProject> {
  const folder = join(packageRoot(), 'templates', template)
  const files = await Promise.all(
    filesIn(folder).map(async path => {
      const content = readFileSync(join(folder, path), 'utf8')
      if (path === CONFIG) return { path, content: await renameConfig(content, name) }
      // npm does not publish files named .gitignore.
      const fileName = path === 'gitignore' ? '.gitignore' : path
      return { path: fileName, content: content.replaceAll('my-server', name) }
    }),
  )
  const own = template === 'custom' ? sdkFiles() : [GITIGNORE_FILE]
  return { files: [...files, ...own, schemaFile()], warnings: [] }
}

export const EXAMPLES = ['weather'] as const

/** A copy of a shipped example. */
export async function fromExample(example: string, name: string): Promise<NewProject> {
  const folder = join(packageRoot(), 'examples', example)
  const files = await Promise.all(
    filesIn(folder).map(async path => {
      const content = readFileSync(join(folder, path), 'utf8')
      if (path === CONFIG) return { path, content: await renameConfig(content, name) }
      return { path, content: content.replaceAll(`examples/${example}`, '.') }
    }),
  )
  return { files: [...files, GITIGNORE_FILE, schemaFile()], warnings: [] }
}

/** Sets the server's name and the path of the schema. Keeps everything else. */
async function renameConfig(text: string, name: string): Promise<string> {
  const { applyEdits, modify } = await import('jsonc-parser')
  const changes = { $schema: `./${SCHEMA}`, name }
  return Object.entries(changes).reduce(
    (changed, [field, value]) => applyEdits(changed, modify(changed, [field], value, {})),
    text,
  )
}

/** Types and code of `mcp-hosting/server`, so that editors and tests need no installation. */
function sdkFiles(): NewFile[] {
  const folder = join(packageRoot(), 'dist', 'sdk')
  const names = filesIn(folder).filter(name => !name.includes('/') || name.startsWith('store/'))
  const files = names.map(name => [name, join(folder, name)])
  const code = ['server.js', join(packageRoot(), 'dist', 'server.js')]
  return [...files, code].map(([name, file]) => ({
    path: `types/mcp-hosting/${name}`,
    content: readFileSync(file!, 'utf8'),
  }))
}
