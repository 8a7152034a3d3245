import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tarGz } from '../../helpers/archives.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { sayProgram } from '../../helpers/instance/programs.ts'
import { uniqueName } from '../../helpers/unique-name.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon({ warmSpares: 1 })
})
afterAll(() => daemon.close())

/** Builds a server from these files as `mcp dev` does. Returns its URL. */
async function build(name: string, files: Record<string, string>, more: object = {}): Promise<string> {
  const archive = tarGz(Object.entries(files).map(([path, content]) => ({ name: path, content })))
  const { body: project } = await daemon.api('POST', '/api/projects', { body: { name: uniqueName(name) } })
  const { body: uploaded } = await daemon.api('PUT', `/api/projects/${project.id}/source`, { body: archive })
  const body = { name, template: 'custom', source: uploaded.sourceId, ...more }
  const { body: answer } = await daemon.api('POST', '/v1/build', { body })
  expect(answer.data).toMatchObject({ status: 'ready' })
  return answer.data.url
}

const tool = (answer: string) => `import { defineTool } from 'mcp-hosting/server'
export default defineTool({ description: 'Says it', input: { type: 'object' }, handler: () => '${answer}' })`

test.each(['v1', 'v2'] as const)(
  'a connected client of the %s SDK is notified of a reload and then uses the new tools',
  async version => {
    const name = `sdk-${version}`
    const url = new URL(await build(name, { 'tools/say.ts': tool('one') }))
    const changed = Promise.withResolvers<void>()
    const client =
      version === 'v1' ? await connectV1(url, changed.resolve) : await connectV2(url, changed.resolve)
    const say = async () => (await client.callTool({ name: 'say', arguments: {} })).content
    expect(await say()).toMatchObject([{ text: 'one' }])
    await build(name, { 'tools/say.ts': tool('two'), 'tools/more.ts': tool('more') })
    await changed.promise
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).toSorted()).toEqual(['more', 'say'])
    expect(await say()).toMatchObject([{ text: 'two' }])
    await client.close()
  },
)

test('a connected client of a sleeping server is notified of a reload', async () => {
  const url = new URL(await build('unused', { 'tools/say.ts': tool('one') }))
  const changed = Promise.withResolvers<void>()
  const client = await connectV1(url, changed.resolve)
  await client.listTools()
  await build('unused', { 'tools/say.ts': tool('two'), 'tools/more.ts': tool('more') })
  await changed.promise
  expect((await client.listTools()).tools).toHaveLength(2)
  await client.close()
})

async function connectV1(url: URL, onChanged: () => void) {
  const client = new Client({ name: 'test', version: '1' })
  client.setNotificationHandler(ToolListChangedNotificationSchema, onChanged)
  const transport = new StreamableHTTPClientTransport(url)
  await client.connect(transport as Parameters<Client['connect']>[0])
  return client
}

async function connectV2(url: URL, onChanged: () => void) {
  const client = new ModernClient({ name: 'test', version: '1' })
  client.setNotificationHandler('notifications/tools/list_changed', onChanged)
  await client.connect(new ModernTransport(url))
  return client
}

test('a session continues with the new program after a reload', async () => {
  const program = { program: { type: 'stdio', command: process.execPath, args: ['server.mjs'], cwd: '.' } }
  const url = new URL(await build('program', { 'server.mjs': sayProgram('one') }, program))
  const client = await connectV1(url, () => {})
  const say = async () => (await client.callTool({ name: 'say', arguments: {} })).content
  expect(await say()).toMatchObject([{ text: 'one' }])
  await build('program', { 'server.mjs': sayProgram('two') }, program)
  expect(await say()).toMatchObject([{ text: 'two' }])
  await client.close()
})
