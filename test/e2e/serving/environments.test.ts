import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { buildServer, deploy, echoServer } from '../../daemon/http/fixtures.ts'
import { beginSession, post, rpc } from '../../helpers/clients/mcp-requests.ts'
import { callTool } from '../../helpers/clients/tool-call.ts'
import { buildFolder } from '../../helpers/daemon/custom-server.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'

/** The table "Environments, locally" of docs/decisions/deployments.md, cell by cell. */
const ENVIRONMENTS = ['production', 'staging', 'development'] as const

/** Replaces the default timeout of `vi.waitFor`, which is one second. */
const WITHIN_LIMIT = { timeout: 50_000 }

let daemon: TestDaemon
let custom: string
beforeAll(async () => {
  daemon = await startTestDaemon()
  using project = createProjectFolder({
    'tools/pid.ts': `import { defineTool } from 'mcp-hosting/server'
const me = crypto.randomUUID()
export default defineTool({ description: 'Where', handler: () => me })`,
  })
  custom = (await buildFolder(daemon, 'custom', project.path)).mcp_id
})
afterAll(() => daemon.close())

const statusOf = async (id: string) => (await daemon.api('GET', `/v1/deploy/${id}/status`)).body.data

async function deployed(server: object, environment: string, config?: Record<string, unknown>) {
  const { deployment_id } = await deploy(daemon, await buildServer(daemon, server), environment, config)
  return statusOf(deployment_id)
}

const pidsOf = (status: { instances: { pid: number }[] }) => status.instances.map(({ pid }) => pid)

describe('instances', () => {
  const scaling = { min_instances: 2, max_instances: 3 }

  test('in production, instances are dedicated processes, from min_instances to max_instances', async () => {
    const status = await deployed(echoServer('i-production'), 'production', { scaling })
    expect(status.promises).toMatchObject({ placement: 'dedicated', min_instances: 2, max_instances: 3 })
    const other = await deployed(echoServer('i-other'), 'production')
    expect(new Set([...pidsOf(status), ...pidsOf(other)]).size).toBe(3)
  })

  test.each(['staging', 'development'])(
    'in %s, servers without user code share a process',
    async environment => {
      const [one, two] = [
        await deployed(echoServer(`i-${environment}-1`), environment, { scaling }),
        await deployed(echoServer(`i-${environment}-2`), environment),
      ]
      expect(one.promises).toMatchObject({ placement: 'shared', max_instances: 1, memory_mb: null })
      expect(pidsOf(one)).toEqual(pidsOf(two))
    },
  )

  test.each([
    ['staging', 2],
    ['development', 1],
  ])('in %s, a server with code has at most %i dedicated processes', async (environment, most) => {
    const { deployment_id } = await deploy(daemon, custom, environment)
    const status = await statusOf(deployment_id)
    expect(status.promises).toMatchObject({ placement: 'dedicated', min_instances: 0, max_instances: most })
    expect(status.instances).toHaveLength(1)
  })
})

describe('idle', () => {
  test.each([
    ['production', null],
    ['staging', 15 * 60],
    ['development', 5 * 60],
  ])('in %s, idle_seconds is %s', async (environment, seconds) => {
    const status = await deployed(echoServer('idle'), environment)
    expect(status.promises.idle_seconds).toBe(seconds)
  })

  test('production allows min_instances 0', async () => {
    const scaling = { min_instances: 0, max_instances: 1 }
    const status = await deployed(echoServer('idle-none'), 'production', { scaling })
    expect(status.promises).toMatchObject({ min_instances: 0, idle_seconds: 15 * 60 })
  })
})

/** Calls after a release, in a session that is older than the release and without a session. */
describe('release', () => {
  const version = (text: string) => {
    const inputSchema = { type: 'object' }
    const who = { name: 'who', description: 'Who', inputSchema, handler: { type: 'template', text } }
    return echoServer('released', { tools: [who] })
  }
  const who = async (url: string, session: Record<string, string>) =>
    (await post(url, rpc('tools/call', { name: 'who' }), session)).json.result.content[0].text

  test.each([
    ['production', 'gradual', 'one'],
    ['staging', 'gradual', 'one'],
    ['development', 'at_once', 'two'],
  ])(
    'in %s, a release is %s: open sessions get version %s, new clients get version two',
    async (environment, release, expected) => {
      const first = await deployed(version('one'), environment)
      const session = await beginSession(first.url)
      const second = await deployed(version('two'), environment)
      expect(second.promises.release).toBe(release)
      expect(await who(first.url, session)).toBe(expected)
      expect(await callTool(Number(new URL(first.url).port), 'who')).toBe('two')
      await vi.waitFor(async () => {
        const { staying_sessions } = await statusOf(second.deployment_id)
        const staying = { deployment_id: first.deployment_id, sessions: 1 }
        expect(staying_sessions).toEqual(expected === 'one' ? [staying] : [])
      }, WITHIN_LIMIT)
    },
  )
})

describe('address', () => {
  test.each([
    ['production', /^addresses$/],
    ['staging', /^addresses-[0-9a-z]{6}$/],
    ['development', /^addresses-dev$/],
  ])('in %s, the subdomain matches %s', async (environment, pattern) => {
    expect((await deployed(echoServer('addresses'), environment)).subdomain).toMatch(pattern)
  })

  test('production allows a custom domain', async () => {
    const status = await deployed(echoServer('domains'), 'production', { domain: 'mcp.example.com' })
    expect(status.domain).toBe('mcp.example.com')
  })
})

describe('logs', () => {
  test.each([
    ['production', 'info'],
    ['staging', 'info'],
    ['development', 'debug'],
  ])('in %s, the log level is %s', async (environment, level) => {
    const server = { ...echoServer('logged', { template: 'advanced' }), env: [{ name: 'TOKEN' }] }
    const status = await deployed(server, environment, { env_vars: { TOKEN: 'hush-hush-1' } })
    expect(status.promises.log_level).toBe(level)
    const args = { text: 'a message with hush-hush-1' }
    await post(
      status.url,
      rpc('tools/call', { name: 'say', arguments: args }),
      await beginSession(status.url),
    )
    const isMessage = ({ level, message }: { level: string; message: string }) =>
      level === 'debug' && message.includes('a message with')
    const lines = await vi.waitFor(async () => {
      const { body } = await daemon.api('GET', `/api/lambda-deploy/${status.deployment_id}/logs`)
      expect(body.lines).toContainEqual(expect.objectContaining({ method: 'tools/call' }))
      return body.lines
    }, WITHIN_LIMIT)
    expect(lines.some(isMessage)).toBe(level === 'debug')
    expect(JSON.stringify(lines)).not.toContain('hush-hush-1')
  })
})

describe('old deployments', () => {
  test.each([
    ['production', null, 7],
    ['staging', 5, 5],
    ['development', 1, 1],
  ])(
    'in %s, kept_deployments is %s, and %i of seven deployments remain',
    async (environment, kept, count) => {
      const mcpId = await buildServer(daemon, echoServer('seventh'))
      for (let release = 1; release <= 7; release++) await deploy(daemon, mcpId, environment)
      const path = `/v1/deploy?name=seventh&environment=${environment}`
      const { items } = (await daemon.api('GET', path)).body.data
      expect(items).toHaveLength(count)
      expect(items[0].promises.kept_deployments).toBe(kept)
      expect(items.map(({ status }: { status: string }) => status)).toEqual(
        Array.from({ length: count }, (_, at) => (at === 0 ? 'deployed' : 'stopped')),
      )
    },
  )
})

test('these tests cover every environment', async () => {
  const { body } = await daemon.api('GET', '/v1/deploy?limit=100')
  const seen = body.data.items.map(({ environment }: { environment: string }) => environment)
  expect(new Set(seen)).toEqual(new Set(ENVIRONMENTS))
})
