import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tarGz } from '../../helpers/archives.ts'
import {
  beginSession,
  modern,
  modernHeaders,
  open,
  readEvents,
  rpc,
  send,
} from '../../helpers/clients/mcp-requests.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { uniqueName } from '../../helpers/unique-name.ts'
import { echoServer } from './fixtures.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon.close())

const LIST_CHANGED = 'notifications/tools/list_changed'

/** Builds the server `name` with these tools. Returns its URL. */
type BuildTools = (name: string, tools: string[]) => Promise<string>

const declared: BuildTools = async (name, tools) => {
  const [say] = echoServer().tools
  return build({ name, template: 'basic', tools: tools.map(each => ({ ...say, name: each })) })
}

const ofModules: BuildTools = async (name, tools) => {
  const content = `import { defineTool } from 'mcp-hosting/server'
    export default defineTool({ description: 'Says it', input: { type: 'object' }, handler: () => 'said' })`
  const archive = tarGz(tools.map(each => ({ name: `tools/${each}.ts`, content })))
  const project = await daemon.api('POST', '/api/projects', { body: { name: uniqueName(name) } })
  const source = await daemon.api('PUT', `/api/projects/${project.body.id}/source`, { body: archive })
  return build({ name, template: 'custom', source: source.body.sourceId })
}

async function build(body: object): Promise<string> {
  const { body: answer } = await daemon.api('POST', '/v1/build', { body })
  expect(answer.data).toMatchObject({ status: 'ready' })
  return answer.data.url
}

describe.each([
  ['from definitions', declared],
  ['from modules', ofModules],
])('when the preview of a server %s gets a new build', (kind, buildTools) => {
  test('a session continues with a new build, is notified and reads the changed list over its old connection', async () => {
    const name = `session-${kind.replace(' ', '-')}`
    const url = await buildTools(name, ['one'])
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const headers = await beginSession(url)
    const list = async () => {
      const answer = await send(url, { body: rpc('tools/list'), headers, agent })
      return answer.json.result.tools.map((tool: { name: string }) => tool.name)
    }
    expect(await list()).toEqual(['one'])
    const stream = readEvents(await open(url, { headers }))
    await buildTools(name, ['one', 'two'])
    const heard: unknown[] = []
    for (let event = await stream.next(); event && heard.at(-1) !== LIST_CHANGED; event = await stream.next())
      heard.push(event.json?.method)
    expect(heard.at(-1)).toBe(LIST_CHANGED)
    expect(await list()).toEqual(['one', 'two'])
    expect(await list()).toEqual(['one', 'two'])
    while (await stream.next()) {
      // The old stream ends and the client opens another one.
    }
    const again = await open(url, { headers })
    expect(again.statusCode).toBe(200)
    again.destroy()
    agent.destroy()
  })

  test('notifies a listening modern client of the changed lists', async () => {
    const name = `listening-${kind.replace(' ', '-')}`
    const url = await buildTools(name, ['one'])
    const body = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const stream = readEvents(await open(url, { body, headers: modernHeaders('subscriptions/listen') }))
    expect((await stream.next())?.json.params.notifications).toEqual({ toolsListChanged: true })
    await buildTools(name, ['two'])
    expect((await stream.next())?.json.method).toBe('notifications/tools/list_changed')
    expect((await stream.next())?.json.result).toBeDefined()
  })

  test('sends no notification when the lists are equal', async () => {
    const name = `same-${kind.replace(' ', '-')}`
    const url = await buildTools(name, ['one'])
    const headers = await beginSession(url)
    const stream = readEvents(await open(url, { headers }))
    await buildTools(name, ['one'])
    const events = []
    for (let event = await stream.next(); event; event = await stream.next()) events.push(event)
    expect(events.filter(({ json }) => json?.method)).toEqual([])
  })
})
