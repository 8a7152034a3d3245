import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import { HostingError } from '../../shared/errors.ts'
import { MAX_NAME_LENGTH, SERVER_NAME, TOOL_NAME } from '../../shared/names.ts'
import { packageRoot } from '../local-daemon/package-root.ts'

/** An unwritten file of a new project. `path` is relative to the project. */
export interface NewFile {
  path: string
  content: string
}

export interface NewProject {
  files: NewFile[]
  /** One line per warning. */
  warnings: string[]
}

export const INIT_TEMPLATES = ['basic', 'advanced', 'custom'] as const
export type InitTemplate = (typeof INIT_TEMPLATES)[number]

const SCHEMA = 'mcp.config.schema.json'
const CONFIG = 'mcp.config.json'

/** A project from a shipped template. */
export async function fromTemplate(template: InitTemplate, name: string): Promise<NewProject> {
  const folder = join(packageRoot(), 'templates', template)
  const files = await Promise.all(
    filesIn(folder).map(async path => {
      const content = readFileSync(join(folder, path), 'utf8')
      if (path === CONFIG) return { path, content: await named(content, name) }
      // npm does not publish files named .gitignore.
      const itsName = path === 'gitignore' ? '.gitignore' : path
      return { path: itsName, content: content.replaceAll('my-server', name) }
    }),
  )
  const own = template === 'custom' ? typeFiles() : [IGNORED]
  return { files: [...files, ...own, schemaFile()], warnings: [] }
}

/** Keeps variables and the project's link out of git. */
const IGNORED: NewFile = { path: '.gitignore', content: '.env\n.env.*\n.mcp/\n' }

export const EXAMPLES = ['weather'] as const

/** A copy of a shipped example. */
export async function fromExample(example: string, name: string | undefined): Promise<NewProject> {
  const folder = join(packageRoot(), 'examples', example)
  const files = await Promise.all(
    filesIn(folder).map(async path => {
      const content = readFileSync(join(folder, path), 'utf8')
      if (path === CONFIG) return { path, content: await named(content, name ?? example) }
      return { path, content: content.replaceAll(`examples/${example}`, '.') }
    }),
  )
  return { files: [...files, IGNORED, schemaFile()], warnings: [] }
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll('\\', '/'))
    .toSorted()
}

/** Types of `mcp-hosting/server`, so that editors need no installation. Subfolders contain types of other entry points. */
function typeFiles(): NewFile[] {
  const folder = join(packageRoot(), 'dist', 'sdk')
  const names = filesIn(folder).filter(name => !name.includes('/'))
  return names.map(name => ({
    path: `types/mcp-hosting/${name}`,
    content: readFileSync(join(folder, name), 'utf8'),
  }))
}

/** A project with these tools, which return samples until they have handlers. */
export async function fromToolNames(
  template: InitTemplate,
  name: string,
  tools: readonly string[],
): Promise<NewProject> {
  for (const tool of tools) checkToolName(tool)
  if (template === 'custom') return fromToolFiles(name, tools)
  const { formatJson } = await import('../output/format-json.ts')
  const config = { $schema: `./${SCHEMA}`, name, template, version: '1.0.0', tools: tools.map(declareTool) }
  const files = [
    { path: CONFIG, content: formatJson(config) },
    { path: 'README.md', content: toolsReadme(name, tools) },
    IGNORED,
    schemaFile(),
  ]
  return { files, warnings: [] }
}

/** Throws INVALID_REQUEST. */
export function checkToolName(name: string): void {
  if (TOOL_NAME.test(name) && name.length <= MAX_NAME_LENGTH) return
  throw new HostingError(
    'INVALID_REQUEST',
    `"${name}" is not a valid tool name. Use 1 to ${MAX_NAME_LENGTH} letters, digits, "_", "-", "." or "/".`,
  )
}

/** The custom template with these tools instead of its own. */
async function fromToolFiles(name: string, tools: readonly string[]): Promise<NewProject> {
  const fileNames = tools.map(fileNameOf)
  const repeated = fileNames.find((file, index) => fileNames.indexOf(file) !== index)
  if (repeated)
    throw new HostingError(
      'INVALID_REQUEST',
      `More than one tool would be written to tools/${repeated}.ts.`,
      {
        next: [{ description: 'Choose names that differ in more than "/"' }],
      },
    )
  const { files, warnings } = await fromTemplate('custom', name)
  const kept = files.filter(
    ({ path }) => path !== CONFIG && !/^(?:tools|resources|prompts|src)\/|^README\.md$/.test(path),
  )
  const { formatJson } = await import('../output/format-json.ts')
  const config = { $schema: `./${SCHEMA}`, name, template: 'custom', version: '1.0.0' }
  kept.push({ path: CONFIG, content: formatJson(config) })
  const made = tools.map(tool => ({ path: `tools/${fileNameOf(tool)}.ts`, content: toolFile(tool) }))
  const readme = { path: 'README.md', content: toolFilesReadme(name, tools) }
  return { files: [...kept, ...made, readme], warnings }
}

function fileNameOf(tool: string): string {
  return tool.replace(/[^\w.-]+/g, '_')
}

/** Declares the name only if the file name differs. */
function toolFile(tool: string): string {
  const named = fileNameOf(tool) === tool ? '' : `\n  name: ${quoted(tool)},`
  return `import { defineTool } from 'mcp-hosting/server'

export default defineTool({${named}
  description: ${quoted(tool.replace(/[_-]+/g, ' '))},
  input: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
  },
  handler({ text }, context) {
    context.info(\`called with \${text.length} characters\`)
    return text
  },
})
`
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, character => `\\${character}`)}'`
}

function toolFilesReadme(name: string, tools: readonly string[]): string {
  return `# ${name}

An MCP server in TypeScript, with one file per tool: ${tools.map(tool => `\`tools/${fileNameOf(tool)}.ts\``).join(', ')}.
They answer with the text they get until you write what they do.

\`\`\`sh
mcp up
mcp dev
\`\`\`
`
}

/** A project with one tool per operation of an OpenAPI description. */
export async function fromOpenApi(file: string, name: string | undefined): Promise<NewProject> {
  const { importOpenApi } = await import('../openapi/import.ts')
  const { project, warnings } = await importOpenApi(file, name)
  if (project.tools.length === 0)
    throw new HostingError('INVALID_REQUEST', `${basename(file)} contains no operation that can be a tool.`, {
      details: warnings.join('\n') || undefined,
    })
  const { formatJson } = await import('../output/format-json.ts')
  const config = formatJson({ $schema: `./${SCHEMA}`, ...project })
  const readme = openApiReadme(basename(file), project)
  return {
    files: [{ path: CONFIG, content: config }, { path: 'README.md', content: readme }, IGNORED, schemaFile()],
    warnings,
  }
}

/** Throws CONFLICT listing existing files, unless `force` is set. */
export function writeProject(directory: string, files: readonly NewFile[], force: boolean): void {
  const existing = files.filter(({ path }) => existsSync(join(directory, path)))
  if (existing.length > 0 && !force)
    throw new HostingError(
      'CONFLICT',
      `${directory} already contains ${existing.map(({ path }) => path).join(', ')}. Nothing was written.`,
      { next: [{ description: 'Choose another folder, or overwrite them with --force' }] },
    )
  for (const { path, content } of files) {
    const file = join(directory, path)
    mkdirSync(dirname(file), { recursive: true }) // with the user's umask
    writeFileAtomic(file, content, 0o644)
  }
}

/** The given name of the server, or that of the folder. Throws INVALID_REQUEST. */
export function serverNameFor(directory: string, given: string | undefined): string {
  const name =
    given ??
    basename(resolve(directory))
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .slice(0, 63)
  if (SERVER_NAME.test(name)) return name
  throw new HostingError(
    'INVALID_REQUEST',
    `"${name}" is not a valid server name. Use 1 to 63 letters, digits, "-", "_" or ".".${given ? '' : ' Set one with --name.'}`,
  )
}

/** A tool without a handler, which returns a sample. */
function declareTool(name: string): object {
  return {
    name,
    description: name.replace(/[_-]+/g, ' '),
    inputSchema: { type: 'object', properties: {} },
    outputSchema: { type: 'object', properties: { result: { type: 'string' } }, required: ['result'] },
  }
}

/** Renames the template's configuration and keeps everything else. */
async function named(text: string, name: string): Promise<string> {
  const { applyEdits, modify } = await import('jsonc-parser')
  const changes = { $schema: `./${SCHEMA}`, name }
  return Object.entries(changes).reduce(
    (changed, [field, value]) => applyEdits(changed, modify(changed, [field], value, {})),
    text,
  )
}

function toolsReadme(name: string, tools: readonly string[]): string {
  return `# ${name}

An MCP server with the tools ${tools.map(tool => `\`${tool}\``).join(', ')}. Without a \`handler\` they return samples made from their
\`outputSchema\`, so that clients can be written before the handlers.

\`\`\`sh
mcp up
mcp tools ${name}
\`\`\`
`
}

/** Copied into the project, so that editors find `$schema` wherever the package is installed. */
function schemaFile(): NewFile {
  const content = readFileSync(join(packageRoot(), 'schema', 'mcp.config.json'), 'utf8')
  return { path: SCHEMA, content: `${JSON.stringify(JSON.parse(content))}\n` }
}

function openApiReadme(
  source: string,
  project: { name?: string; title?: string; tools: unknown[]; env?: unknown[] },
) {
  const tools = (project.tools as { name: string; description: string }[]).map(
    ({ name, description }) => `| \`${name}\` | ${description.replaceAll('|', '\\|')} |`,
  )
  const env = ((project.env ?? []) as { name: string; description?: string; default?: string }[]).map(
    one => `| \`${one.name}\` | ${one.description ?? ''} | ${one.default ? `\`${one.default}\`` : 'none'} |`,
  )
  return `# ${project.title ?? project.name}

An MCP server generated from \`${source}\`: each operation is a tool that calls the API.

\`\`\`sh
mcp up            # build, deploy, try a tool, print the URL
mcp tools ${project.name}
\`\`\`

| tool | does |
|---|---|
${tools.join('\n')}

Environment variables, set with \`mcp deploy --set NAME=value\` or \`--env-file .env\`:

| variable | meaning | default |
|---|---|---|
${env.join('\n')}
`
}
