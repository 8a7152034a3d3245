import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestHome } from '../../helpers/daemon/mcp.ts'

/** Writes the project of a server whose tool `hello` greets. Returns the project folder. */
export function writeServer(home: TestHome, name: string, project: Record<string, unknown> = {}): string {
  const directory = join(home.dir, 'projects', name)
  mkdirSync(directory, { recursive: true })
  const hello = {
    name: 'hello',
    description: 'Greets',
    inputSchema: { type: 'object', properties: { name: { type: 'string', default: 'you' } } },
    handler: { type: 'template', text: `Hello {{ name }} from ${name}` },
  }
  writeFileSync(
    join(directory, 'mcp.config.json'),
    JSON.stringify({ name, template: 'basic', tools: [hello], ...project }),
  )
  return directory
}
