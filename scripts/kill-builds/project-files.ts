import { tarGz } from '../../test/helpers/archives.ts'

/** A source archive: mostly declared servers, sometimes handler modules or npm dependencies. */
export function projectFiles(index: number, dependent: Record<string, string>): Buffer {
  const files = index % 10 === 0 ? modules(index, index % 20 === 0 ? dependent : {}) : declared(index)
  return tarGz(Object.entries(files).map(([name, content]) => ({ name, content })))
}

function declared(index: number): Record<string, string> {
  const tool = {
    name: 'greet',
    description: 'Greets',
    inputSchema: { type: 'object' },
    handler: { type: 'template', text: `hello from ${index}` },
  }
  const project = { name: `declared-${index}`, template: 'basic', tools: [tool] }
  return { 'mcp.config.json': JSON.stringify(project) }
}

function modules(index: number, dependent: Record<string, string>): Record<string, string> {
  const hasDependency = 'package.json' in dependent
  const answer = hasDependency ? `import tiny from 'tiny'\nconst answer = tiny` : `const answer = ${index}`
  return {
    'mcp.config.json': JSON.stringify({ name: `modules-${index}`, template: 'custom' }),
    'tools/answer.ts': `${answer}\nexport default { description: 'Answers', handler: () => String(answer) }`,
    ...dependent,
    // A different key for each project, so that none reuses the installation of another.
    ...(hasDependency && { '.npmrc': `//localhost/${index}:_authToken=none` }),
  }
}
