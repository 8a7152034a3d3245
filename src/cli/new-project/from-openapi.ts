import { HostingError } from '../../shared/errors.ts'
import { CONFIG, GITIGNORE_FILE, type NewProject, SCHEMA, schemaFile } from './project-files.ts'

/** A project with one tool per operation of an OpenAPI description at a path or URL. */
export async function fromOpenApi(source: string, name: string): Promise<NewProject> {
  const [{ importOpenApi }, { sourceName }] = await Promise.all([
    import('../openapi/import.ts'),
    import('../openapi/read-text.ts'),
  ])
  const { project, warnings } = await importOpenApi(source, name)
  if (project.tools.length === 0)
    throw new HostingError(
      'INVALID_REQUEST',
      `${sourceName(source)} contains no operation that can be a tool.`,
      {
        details: warnings.join('\n') || undefined,
      },
    )
  const { formatJson } = await import('../output/format-json.ts')
  const config = formatJson({ $schema: `./${SCHEMA}`, ...project })
  const readme = openApiReadme(sourceName(source), project)
  return {
    files: [
      { path: CONFIG, content: config },
      { path: 'README.md', content: readme },
      GITIGNORE_FILE,
      schemaFile(),
    ],
    warnings,
  }
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

Environment variables, stored with \`mcp env set NAME\`:

| variable | meaning | default |
|---|---|---|
${env.join('\n')}
`
}
