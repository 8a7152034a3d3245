import { HostingError } from '../../shared/errors.ts'
import { MAX_NAME_LENGTH, TOOL_NAME } from '../../shared/names.ts'
import { CONFIG, IGNORED, type NewProject, SCHEMA, schemaFile } from './project-files.ts'
import { fromTemplate, type InitTemplate } from './templates.ts'

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
    ({ path }) =>
      path !== CONFIG && !/^(?:tools|resources|prompts|src)\/|^(?:README\.md|tests\.yaml)$/.test(path),
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

/** A tool without a handler, which returns a sample. */
function declareTool(name: string): object {
  return {
    name,
    description: name.replace(/[_-]+/g, ' '),
    inputSchema: { type: 'object', properties: {} },
    outputSchema: { type: 'object', properties: { result: { type: 'string' } }, required: ['result'] },
  }
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
