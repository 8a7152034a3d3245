import { existsSync, readdirSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callTool, startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { buildServer, deploy, echoServer } from './fixtures.ts'

const STDIO_SERVER = new URL('../../fixtures/programs/stdio-server.mjs', import.meta.url).pathname

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon()
})

afterAll(() => daemon.close())

const version = (name: string, text: string) =>
  echoServer(name, { tools: [{ ...echoServer().tools[0], handler: { type: 'template', text } }] })
const eventsOf = ({ text }: { text: string }): object[] =>
  [...text.matchAll(/^data: (.+)$/gm)].map(([, event]) => JSON.parse(event!))
const show = async (mcpId: string) => (await daemon.api('GET', `/v1/build/${mcpId}`)).body.data
const say = async (url: string) => (await callTool(url, 'say', { text: 'hello' })).content[0].text

describe('a build', () => {
  test('a build with only the fields of the contract becomes ready, and its tools answer', async () => {
    const { tools } = echoServer()
    const body = {
      name: 'contract-only',
      template: 'custom',
      tools: tools.map(({ handler: _, ...tool }) => tool),
      resources: [{ uri: 'docs://guide', name: 'Guide', description: 'How to' }],
      prompts: [{ name: 'greet', description: 'Greets', template: 'Say hello to {{ who }}' }],
    }
    const answer = await daemon.api('POST', '/v1/build', { body })
    expect(answer.status).toBe(201)
    expect(answer.body.data).toMatchObject({
      mcp_id: expect.stringMatching(/^mcp_/),
      name: 'contract-only',
      status: 'ready',
      url: expect.stringMatching(/^http:/),
      build_time: expect.any(Number),
    })
    expect(answer.body.data.build_time).toBeGreaterThan(0)
    const result = await callTool(answer.body.data.url, 'say', { text: 'hello' })
    expect(result.isError ?? false).toBe(false)
  })

  test('a build can have tools without resources, or resources without tools', async () => {
    const resources = [{ uri: 'docs://guide', name: 'Guide', description: 'How to', text: 'Like this' }]
    await buildServer(daemon, { name: 'only-resources', template: 'basic', resources })
    await buildServer(daemon, { name: 'only-tools', template: 'basic', tools: echoServer().tools })
  })

  test('a client that sends Prefer: respond-async gets the running build', async () => {
    const answer = await daemon.api('POST', '/v1/build', {
      body: echoServer('async'),
      headers: { prefer: 'respond-async, wait=5' },
    })
    expect(answer.status).toBe(202)
    expect(answer.body.data.status).toBe('building')
    await expect.poll(async () => (await show(answer.body.data.mcp_id)).status).toBe('ready')
  })

  test('a client that accepts events gets the phases of a code build and its deployment, then the record', async () => {
    const program = { type: 'stdio', command: process.execPath, args: [STDIO_SERVER] }
    const answer = await daemon.api('POST', '/v1/build', {
      body: { name: 'followed', template: 'custom', program },
      headers: { accept: 'text/event-stream, application/json' },
    })
    expect(answer.status).toBe(201)
    const mcp_id = answer.headers.location!.split('/').at(-1)
    expect(eventsOf(answer)).toEqual([
      { type: 'phase', phase: 'installing its packages' },
      { type: 'phase', phase: 'starting it and asking what it offers' },
      { type: 'result', result: expect.objectContaining({ mcp_id, name: 'followed', status: 'ready' }) },
    ])

    const followDeployment = (body: object) =>
      daemon.api('POST', '/v1/deploy', { body, headers: { accept: 'text/event-stream, application/json' } })
    const deployed = await followDeployment({ mcp_id, environment: 'staging' })
    expect(deployed.status).toBe(201)
    const deployment_id = deployed.headers.location!.split('/').at(-2)
    expect(eventsOf(deployed)).toEqual([
      { type: 'phase', phase: 'starting the server' },
      { type: 'phase', phase: 'moving sessions to the new release' },
      { type: 'phase', phase: 'switching to the new release' },
      { type: 'result', result: expect.objectContaining({ deployment_id, status: 'deployed' }) },
    ])
    expect((await followDeployment({ mcp_id: 'mcp_unknown', environment: 'staging' })).status).toBe(404)
  })

  test('equal definitions create another build with the same artifact', async () => {
    const first = await show(await buildServer(daemon, echoServer('twice')))
    const second = await show(await buildServer(daemon, echoServer('twice')))
    expect(first.mcp_id).not.toBe(second.mcp_id)
    expect(first.digest).toBe(second.digest)
  })

  test('an older build can still be deployed', async () => {
    const old = await buildServer(daemon, version('versions', 'old'))
    await buildServer(daemon, version('versions', 'new'))
    expect(await say((await deploy(daemon, old)).url)).toBe('old')
  })

  test('lists builds by name and state, newest first, in pages', async () => {
    const ids: string[] = []
    for (let i = 0; i < 3; i++) ids.unshift(await buildServer(daemon, echoServer('listed')))
    const first = (await daemon.api('GET', '/v1/build?name=listed&status=ready&limit=2')).body.data
    const second = (await daemon.api('GET', `/v1/build?name=listed&limit=2&cursor=${first.next_cursor}`)).body
      .data
    expect([...first.items, ...second.items].map(({ mcp_id }) => mcp_id)).toEqual(ids)
    expect(second.next_cursor).toBeNull()
  })
})

describe('the preview', () => {
  test('the preview serves the newest ready build at the same URL', async () => {
    const first = await show(await buildServer(daemon, version('previewed', 'one')))
    expect(await say(first.url)).toBe('one')
    const second = await show(await buildServer(daemon, version('previewed', 'two')))
    expect(second.url).toBe(first.url)
    expect(await say(first.url)).toBe('two')
  })

  test('the preview returns to the previous build when the newest is removed, and closes with the last build', async () => {
    const first = await buildServer(daemon, version('removed', 'one'))
    const second = await buildServer(daemon, version('removed', 'two'))
    const { url } = await show(second)
    expect(await say(url)).toBe('two')
    expect((await daemon.api('DELETE', `/v1/build/${second}`)).status).toBe(204)
    expect(await say(url)).toBe('one')
    await daemon.api('DELETE', `/v1/build/${first}`)
    await expect(fetch(url)).rejects.toThrow()
    expect(existsSync(`${daemon.home.logs}/${first}`)).toBe(false)
  })
})

describe('removing a build', () => {
  test('removing a build with deployments returns 409 and names them', async () => {
    const mcpId = await buildServer(daemon, echoServer('kept'))
    const { deployment_id } = await deploy(daemon, mcpId)
    const answer = await daemon.api('DELETE', `/v1/build/${mcpId}`)
    expect(answer.status).toBe(409)
    expect(answer.body.error.message).toContain(deployment_id)
  })

  test('removing the last build removes the server and its addresses', async () => {
    const mcpId = await buildServer(daemon, echoServer('forgotten'))
    const { deployment_id } = await deploy(daemon, mcpId, 'production')
    const database = new BetterSqlite3(daemon.home.database, { readonly: true })
    const slots = () =>
      database.prepare("SELECT slot FROM addresses WHERE server = 'forgotten'").pluck().all()
    expect(slots().toSorted()).toEqual(['preview', 'production'])
    await daemon.api('DELETE', `/v1/deploy/${deployment_id}`)
    expect(slots()).toHaveLength(2)
    await daemon.api('DELETE', `/v1/build/${mcpId}`)
    expect(slots()).toEqual([])
    database.close()
    const redeployed = await deploy(daemon, await buildServer(daemon, echoServer('forgotten')), 'production')
    expect(await say(redeployed.url)).toBe('You said hello')
  })

  test('removing a build removes its artifact unless another build uses it', async () => {
    const artifacts = () => readdirSync(daemon.home.artifacts).length
    const before = artifacts()
    const first = await buildServer(daemon, version('shared', 'x1'))
    const second = await buildServer(daemon, version('shared', 'x1'))
    expect(artifacts()).toBe(before + 1)
    await daemon.api('DELETE', `/v1/build/${first}`)
    expect(artifacts()).toBe(before + 1)
    await daemon.api('DELETE', `/v1/build/${second}`)
    expect(artifacts()).toBe(before)
  })
})

describe('invalid definitions', () => {
  const invalid = async (changes: Record<string, unknown>) => {
    const answer = await daemon.api('POST', '/v1/build', { body: echoServer('invalid', changes) })
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ success: false, error: { code: 'INVALID_MCP' } })
    return answer.body.error.details as string
  }
  const tool = (changes: Record<string, unknown>) => [{ ...echoServer().tools[0], ...changes }]

  test('rejects an unknown template', async () => {
    expect(await invalid({ template: 'fancy' })).toMatch(/template/)
  })

  test('rejects two tools with the same name', async () => {
    expect(await invalid({ tools: [...tool({}), ...tool({})] })).toMatch(/tools\[1\]/)
  })

  test('rejects an invalid JSON Schema', async () => {
    expect(
      await invalid({
        tools: tool({ inputSchema: { type: 'object', properties: { a: { type: 'strnig' } } } }),
      }),
    ).toMatch(/tools\[0\]\.inputSchema/)
  })

  test('rejects a remote $ref', async () => {
    const inputSchema = { type: 'object', properties: { a: { $ref: 'https://example.com/schema.json' } } }
    expect(await invalid({ tools: tool({ inputSchema }) })).toMatch(/\$ref/)
  })

  test('reports the position of a missing field in a tool', async () => {
    expect(await invalid({ tools: tool({ description: undefined }) })).toMatch(/tools\[0\]\.description/)
  })

  test('rejects a name that is empty, too long or contains path characters', async () => {
    for (const name of ['../../etc/passwd', 'a/b', '..', 'a\\b', 'a\u0000b', '', 'x'.repeat(64)])
      expect(await invalid({ name })).toMatch(/name/)
  })

  test('rejects definitions that are not an object', async () => {
    const answer = await daemon.api('POST', '/v1/build', { body: '[]' })
    expect(answer.status).toBe(422)
  })
})
