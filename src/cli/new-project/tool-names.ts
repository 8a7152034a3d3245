import { HostingError } from '../../shared/errors.ts'
import { MAX_NAME_LENGTH, TOOL_NAME } from '../../shared/names.ts'
import { CONFIG, GITIGNORE_FILE, type NewProject, SCHEMA, schemaFile } from './project-files.ts'
import { fromTemplate, type InitTemplate } from './templates.ts'
import { fileNameOf, testFile, toolFile, toolFilesReadme } from './tool-files.ts'

/** A project with a stub for each of these tools. */
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
    GITIGNORE_FILE,
    schemaFile(),
  ]
  return { files, warnings: [] }
}

/** Throws INVALID_REQUEST for an invalid name. */
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
      path !== CONFIG && !/^(?:tools|resources|prompts|src|test)\/|^(?:README\.md|tests\.yaml)$/.test(path),
  )
  const { formatJson } = await import('../output/format-json.ts')
  const config = { $schema: `./${SCHEMA}`, name, template: 'custom', version: '1.0.0' }
  kept.push({ path: CONFIG, content: formatJson(config) })
  const made = tools.flatMap(tool => [
    { path: `tools/${fileNameOf(tool)}.ts`, content: toolFile(tool) },
    { path: `test/${fileNameOf(tool)}.test.ts`, content: testFile(tool) },
  ])
  const readme = { path: 'README.md', content: toolFilesReadme(name, tools) }
  return { files: [...kept, ...made, readme], warnings }
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

An MCP server with the tools ${tools.map(tool => `\`${tool}\``).join(', ')}. Without a \`handler\`, they return samples made from their
\`outputSchema\`, so that clients can be written before the handlers.

\`\`\`sh
mcp up
mcp tools ${name}
\`\`\`
`
}
