import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createProject, echoServer, suiteRun } from '../../daemon/http/fixtures.ts'
import { seedSmallBase } from '../../helpers/containers/small-base.ts'
import { deployFolder } from '../../helpers/daemon/custom-server.ts'
import { callTool, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { signInWithKey } from '../../helpers/daemon/local-sign-in.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'
import { type ModelStub, startModelStub } from '../../helpers/services/model-stub.ts'
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
 * Deploys a server of every kind: declared, with handler modules, two published programs, one with sign-in, one whose tool fails
 * and one whose build fails. Calls some of them. Stores what other views show: a grant, a chat, a test run, a container build.
 */
export async function deployExamples(daemon: TestDaemon): Promise<AsyncDisposable> {
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
  await signIn(daemon, 'team-notes')
  await callTool((await deployModules(daemon, 'orders', ORDERS)).url, 'find_order')
  await daemon.api('POST', '/v1/build', {
    body: { name: 'crm', template: 'custom', program: { type: 'stdio', ...BROKEN } },
  })
  await runContainerBuild(daemon)
  const vendor = await addChat(daemon, 'weather')
  return {
    async [Symbol.asyncDispose]() {
      await vendor.close()
      rmSync(files, { recursive: true, force: true })
    },
  }
}

/** Gives a client access to a deployment with sign-in. */
async function signIn(daemon: TestDaemon, name: string): Promise<void> {
  const { body } = await daemon.api('GET', `/v1/deploy?name=${name}`)
  const [{ deployment_id }] = body.data.items
  const status = await daemon.api('GET', `/v1/deploy/${deployment_id}/status`)
  await signInWithKey(status.body.data.sign_in.issuer, daemon.ownerKey)
}

async function runContainerBuild(daemon: TestDaemon): Promise<void> {
  await seedSmallBase(daemon.home.images)
  const project = await createProject(
    daemon,
    { 'mcp.config.json': JSON.stringify(echoServer('parrot')) },
    'parrot',
  )
  const { body } = await daemon.api('POST', `/api/lambda-builds/trigger/${project}`)
  await daemon.api('GET', `/api/lambda-builds/${body.id}/logs`)
}

/** Adds a chat with a server's build in production, and a test run. Returns the stub of the model vendor, still running. */
async function addChat(daemon: TestDaemon, name: string): Promise<ModelStub> {
  const turns = [
    { text: 'I will look.', calls: [{ name: 'current_weather', arguments: { city: 'Oslo' } }] },
    { text: 'It is cold in Oslo.' },
  ]
  const vendor = await startModelStub('anthropic', turns)
  await daemon.api('PUT', '/api/model-keys/anthropic', {
    body: { apiKey: 'sk-test-0123456789abcdef', baseUrl: vendor.url },
  })
  const { body } = await daemon.api('GET', `/v1/deploy?name=${name}`)
  const { mcp_id } = body.data.items.find(
    ({ environment }: { environment: string }) => environment === 'production',
  )
  await daemon.api('POST', '/v1/test', { body: { mcp_id, message: 'How is the weather in Oslo?' } })
  await daemon.api('POST', '/api/suite-runs', { body: suiteRun(mcp_id) })
  return vendor
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
