import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deployFolder } from '../../helpers/daemon/custom-server.ts'
import { callTool, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'
import { host } from '../programs/hosted-program.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const CITIES = ['Oslo', 'Lima', 'Cairo', 'Tokyo', 'Sydney']

/** A module with a tool that works, and one whose tool always throws. */
const DICE = {
  'tools/roll.ts': `import { defineTool } from 'mcp-hosting/server'
export default defineTool({
  description: 'Rolls dice',
  inputSchema: { type: 'object', properties: { count: { type: 'integer', minimum: 1, maximum: 10 } } },
  handler: ({ count = 2 }: { count?: number }) => Array.from({ length: count }, (_, index) => (index * 2) % 6 + 1).join(', '),
})`,
}
const ORDERS = {
  'tools/find_order.ts': `import { defineTool } from 'mcp-hosting/server'
export default defineTool({
  description: 'Finds an order',
  handler: () => { throw new Error('The order database does not answer') },
})`,
}
/** A program that exits before it answers. */
const BROKEN = { command: 'node', args: ['-e', 'console.error("CRM_URL is not set"); process.exit(1)'] }

const TEAM_NOTES = {
  name: 'team-notes',
  template: 'basic',
  tools: [
    {
      name: 'search',
      description: 'Searches the notes of the team.',
      inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
      handler: { type: 'template', text: 'No note mentions {{ query }}.' },
    },
  ],
}

/**
 * Deploys a server of every kind and makes some calls: declared, handler modules, two published programs, one with sign-in, one
 * whose tool fails and one whose build fails.
 */
export async function deployExamples(daemon: TestDaemon): Promise<Disposable> {
  const files = mkdtempSync(join(tmpdir(), 'mcp-files-'))
  writeFileSync(join(files, 'notes.md'), '# Notes\n')
  const weather = readWeather()
  const url = await deployDefinition(daemon, weather, 'production')
  for (const city of CITIES) await callTool(url, 'current_weather', { city })
  await callTool(url, 'forecast', { city: 'Atlantis' })
  await deployDefinition(
    daemon,
    { ...weather, version: '1.1.0', tools: weather.tools.slice(0, 2) },
    'production',
  )
  await callTool(url, 'forecast', { city: 'Lima', days: 2 })
  await deployDefinition(daemon, weather, 'staging')
  await callTool((await deployModules(daemon, 'dice', DICE)).url, 'roll', { count: 3 })
  await Promise.all([
    host(daemon, 'everything', { command: program('everything') }),
    host(daemon, 'files', { command: program('filesystem'), args: [files] }),
  ])
  await deployDefinition(daemon, TEAM_NOTES, 'production', { auth: { provider: 'local' } })
  await callTool((await deployModules(daemon, 'orders', ORDERS)).url, 'find_order')
  await daemon.api('POST', '/v1/build', {
    body: { name: 'crm', template: 'custom', program: { type: 'stdio', ...BROKEN } },
  })
  return { [Symbol.dispose]: () => rmSync(files, { recursive: true, force: true }) }
}

interface Definition {
  tools: unknown[]
}

function readWeather(): Definition {
  const text = readFileSync(join(ROOT, 'examples/weather/mcp.config.json'), 'utf8')
  const { $schema: _schema, test: _test, deploy: _deploy, ...definition } = JSON.parse(text)
  return definition
}

function program(name: string): string {
  return join(ROOT, 'node_modules/.bin', `mcp-server-${name}`)
}

async function deployModules(daemon: TestDaemon, name: string, files: Record<string, string>) {
  using folder = createProjectFolder(files)
  return await deployFolder(daemon, name, folder.path)
}

async function deployDefinition(
  daemon: TestDaemon,
  definition: object,
  environment: string,
  config: object = {},
): Promise<string> {
  const build = await daemon.api('POST', '/v1/build', { body: definition })
  const request = { mcp_id: build.body.data?.mcp_id, environment, config }
  const { body, text } = await daemon.api('POST', '/v1/deploy', { body: request })
  if (body.data?.status !== 'deployed') throw new Error(`not deployed: ${build.text} ${text}`)
  return body.data.url
}
