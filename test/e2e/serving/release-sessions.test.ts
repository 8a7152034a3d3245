import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildServer, deploy, echoServer } from '../../daemon/http/fixtures.ts'
import { beginSession, open, post, readEvents, rpc, send } from '../../helpers/clients/mcp-requests.ts'
import { callInSession, callTool, openSession } from '../../helpers/clients/tool-call.ts'
import { deployFolder } from '../../helpers/daemon/custom-server.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'
import { isRunning } from '../../helpers/processes.ts'

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon()
})

afterAll(() => daemon.close())

const saying = (name: string, text: string) =>
  buildServer(
    daemon,
    echoServer(name, {
      tools: ['who', text].map(tool => ({
        name: tool,
        description: 'Says who',
        inputSchema: {},
        handler: { type: 'template', text },
      })),
    }),
  )

const instancesOf = async (id: string): Promise<{ pid: number; sessions: number }[]> =>
  (await daemon.api('GET', `/v1/deploy/${id}/status`)).body.data.instances

const toolsOf = async (url: string, session: Record<string, string>): Promise<string[]> => {
  const { json } = await post(url, rpc('tools/list'), session)
  return json.result.tools.map(({ name }: { name: string }) => name)
}

const end = (url: string, headers: Record<string, string>) => send(url, { method: 'DELETE', headers })

test.each(['production', 'staging'])(
  'a session in %s stays on its release across other releases and a rollback, until the daemon restarts',
  async environment => {
    const server = `sessions-${environment}`
    const { url } = await deploy(daemon, await saying(server, 'one'), environment)
    const port = Number(new URL(url).port)
    const { sessionId } = await openSession(port)
    const who = () => callInSession(port, 'who', sessionId)
    expect(await who()).toBe('one')
    const { deployment_id: second } = await deploy(daemon, await saying(server, 'two'), environment)
    expect(await who()).toBe('one')
    expect(await callTool(port, 'who')).toBe('two')
    const { sessionId: later } = await openSession(port)
    await deploy(daemon, await saying(server, 'three'), environment)
    expect([await who(), await callInSession(port, 'who', later)]).toEqual(['one', 'two'])
    await daemon.api('POST', `/v1/deploy/${second}/rollback`)
    expect([await who(), await callInSession(port, 'who', later)]).toEqual(['one', 'two'])
    expect(await callTool(port, 'who')).toBe('one')
    await daemon.restart()
    expect(await callInSession(port, 'who', later)).toBe('one')
  },
)

describe('in production', () => {
  const server = 'sessions-production'
  const environment = 'production'

  test('a session gets the lists of its release', async () => {
    const { url } = await deploy(daemon, await saying(server, 'one'), environment)
    const session = await beginSession(url)
    await deploy(daemon, await saying(server, 'two'), environment)
    expect(await toolsOf(url, session)).toEqual(['who', 'one'])
    expect(await toolsOf(url, await beginSession(url))).toEqual(['who', 'two'])
  })

  test('an earlier release stops with its last session', async () => {
    const { url, deployment_id } = await deploy(daemon, await saying(server, 'one'), environment)
    const [first, second] = [await beginSession(url), await beginSession(url)]
    await deploy(daemon, await saying(server, 'two'), environment)
    expect((await end(url, first)).status).toBe(200)
    expect((await post(url, rpc('ping'), first)).status).toBe(404)
    expect(await instancesOf(deployment_id)).toHaveLength(1)
    expect((await end(url, second)).status).toBe(200)
    await expect.poll(() => instancesOf(deployment_id)).toEqual([])
  })

  test('a session that was idle for session_seconds moves to the next release', async () => {
    const first = await deploy(daemon, await saying(server, 'one'), environment)
    const session = await beginSession(first.url)
    await deploy(daemon, await saying(server, 'two'), environment, { session_seconds: 1 })
    await expect.poll(() => instancesOf(first.deployment_id)).toEqual([])
    expect(await toolsOf(first.url, session)).toEqual(['who', 'two'])
  })

  test('sessions move with the release if session_seconds is 0', async () => {
    const { url } = await deploy(daemon, await saying(server, 'one'), environment)
    const session = await beginSession(url)
    await deploy(daemon, await saying(server, 'two'), environment, { session_seconds: 0 })
    expect(await toolsOf(url, session)).toEqual(['who', 'two'])
  })

  test('on a connection from before a release, the new release serves requests without a session, but no requests in old sessions', async () => {
    const { url } = await deploy(daemon, await saying(server, 'one'), environment)
    const port = Number(new URL(url).port)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const session = await beginSession(url)
    const list = () => send(url, { body: rpc('tools/list'), headers: session, agent })
    expect((await list()).json.result.tools[1].name).toBe('one')
    await deploy(daemon, await saying(server, 'two'), environment)
    expect((await list()).json.result.tools[1].name).toBe('one')
    expect(await callTool(port, 'who', agent)).toBe('two')
    expect((await list()).json.result.tools[1].name).toBe('one')
    agent.destroy()
  })
})

test('in development, sessions move to each new release', async () => {
  const { url } = await deploy(daemon, await saying('sessions-dev', 'one'))
  const session = await beginSession(url)
  await deploy(daemon, await saying('sessions-dev', 'two'))
  expect(await toolsOf(url, session)).toEqual(['who', 'two'])
})

const COUNT = (version: string) => `
import { defineTool } from 'mcp-hosting/server'
const counts = new Map()
export default defineTool({
  description: 'Counts the calls of a session',
  handler: (_args, context) => {
    const count = (counts.get(context.sessionId) ?? 0) + 1
    counts.set(context.sessionId, count)
    return '${version} ' + count
  },
})`

describe('sessions of several instances with code', () => {
  const config = { scaling: { min_instances: 2, max_instances: 2 } }
  const release = async (version: string) => {
    using project = createProjectFolder({ 'tools/count.ts': COUNT(version) })
    return await deployFolder(daemon, 'counting', project.path, { config })
  }
  const count = async (url: string, session: Record<string, string>) =>
    (await post(url, rpc('tools/call', { name: 'count' }), session)).json.result.content[0].text

  test('sessions keep the state of their instance across releases', async () => {
    const { url } = await release('one')
    const sessions = await Promise.all([1, 2, 3, 4].map(() => beginSession(url)))
    for (const session of sessions) expect(await count(url, session)).toBe('one 1')
    await release('two')
    for (const session of sessions) expect(await count(url, session)).toBe('one 2')
    await release('three')
    for (const session of sessions) expect(await count(url, session)).toBe('one 3')
  })

  test('sessions move to the next release when their process is killed', async () => {
    const { url, deployment_id } = await release('four')
    const session = await beginSession(url)
    expect(await count(url, session)).toBe('four 1')
    await release('five')
    expect(await count(url, session)).toBe('four 2')
    for (const { pid } of await instancesOf(deployment_id)) process.kill(pid, 'SIGKILL')
    await expect.poll(() => instancesOf(deployment_id)).toEqual([])
    expect(await count(url, session)).toMatch(/^five/)
  })
})

const PID = (version: string) => `
import { defineTool } from 'mcp-hosting/server'
const me = crypto.randomUUID()
export default defineTool({ description: 'Where', handler: () => '${version} ' + me })`
const ASK = `
import { defineTool } from 'mcp-hosting/server'
export default defineTool({ description: 'Asks', handler: async (_args, context) => (await context.sample('?')).text })`

describe('when one of several instances of a release is killed', () => {
  const two = { scaling: { min_instances: 2, max_instances: 2 } }
  const textOf = async (url: string, name: string, session: Record<string, string>) =>
    (await post(url, rpc('tools/call', { name }), session)).json.result.content[0].text as string

  /** Pid of the process that started the session. */
  async function pidOfSession(deploymentId: string, session: Record<string, string>): Promise<number> {
    const { instances } = (await daemon.api('GET', `/v1/deploy/${deploymentId}/status`)).body.data
    return instances.find(({ id }: { id: string }) => session['mcp-session-id']!.startsWith(id)).pid
  }

  /** Begins sessions until both instances have one. Keyed by the UUID that the code of the instance generates. */
  async function sessionsOfBoth(url: string): Promise<Map<string, Record<string, string>>> {
    const found = new Map<string, Record<string, string>>()
    while (found.size < 2) {
      const session = await beginSession(url)
      found.set((await textOf(url, 'pid', session)).split(' ')[1]!, session)
    }
    return found
  }

  test('sessions on a killed instance of an earlier release continue on the other instance of that release', async () => {
    const release = async (version: string) => {
      using project = createProjectFolder({ 'tools/pid.ts': PID(version) })
      return await deployFolder(daemon, 'halved', project.path, { config: two })
    }
    const { url, deployment_id } = await release('one')
    const [[, session], [other]] = [...(await sessionsOfBoth(url))] as [
      [string, Record<string, string>],
      [string, Record<string, string>],
    ]
    const pid = await pidOfSession(deployment_id, session)
    await release('two')
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => isRunning(pid)).toBe(false)
    expect(await textOf(url, 'pid', session)).toBe(`one ${other}`)
    expect(await textOf(url, 'pid', session)).toBe(`one ${other}`)
  })

  test('a session with a declared server stays with its release when another instance takes over the session', async () => {
    const { url, deployment_id } = await deploy(daemon, await saying('halves', 'one'), 'production', two)
    const session = await beginSession(url)
    const pid = await pidOfSession(deployment_id, session)
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => isRunning(pid)).toBe(false)
    expect(await toolsOf(url, session)).toEqual(['who', 'one'])
    await deploy(daemon, await saying('halves', 'two'), 'production', two)
    expect(await toolsOf(url, session)).toEqual(['who', 'one'])
  })

  test('no instance of the same release takes over an ended session', async () => {
    const { url, deployment_id } = await deploy(daemon, await saying('parted', 'one'), 'production', two)
    const sessions = new Map<string, Record<string, string>>()
    while (sessions.size < 2) {
      const session = await beginSession(url)
      sessions.set(session['mcp-session-id']!.split('.')[0]!, session)
    }
    const [ended, kept] = [...sessions.values()] as [Record<string, string>, Record<string, string>]
    await deploy(daemon, await saying('parted', 'two'), 'production', two)
    expect((await send(url, { method: 'DELETE', headers: ended })).status).toBe(200)
    await expect.poll(() => instancesOf(deployment_id)).toHaveLength(1)
    expect((await post(url, rpc('ping'), ended)).status).toBe(404)
    expect(await toolsOf(url, kept)).toEqual(['who', 'one'])
  })

  test('no instance of the next release takes over an ended session', async () => {
    const { url, deployment_id } = await deploy(daemon, await saying('over', 'one'), 'production', two)
    const session = await beginSession(url)
    await deploy(daemon, await saying('over', 'two'), 'production', two)
    expect((await send(url, { method: 'DELETE', headers: session })).status).toBe(200)
    await expect.poll(() => instancesOf(deployment_id)).toEqual([])
    // The other instance of the next release is notified shortly after.
    const statuses = () =>
      Promise.all([1, 2, 3, 4].map(async () => (await post(url, rpc('ping'), session)).status))
    await expect.poll(() => statuses()).toEqual([404, 404, 404, 404])
  })
})

test('in development, idle sessions move immediately, and a call that waits for its client still gets the answer', async () => {
  const release = async (version: string) => {
    using project = createProjectFolder({ 'tools/pid.ts': PID(version), 'tools/ask.ts': ASK })
    return await deployFolder(daemon, 'asking', project.path, { environment: 'development' })
  }
  const { url } = await release('one')
  const asked = await beginSession(url, '2025-11-25', { sampling: {} })
  const idle = await beginSession(url)
  const events = readEvents(await open(url, { body: rpc('tools/call', { name: 'ask' }), headers: asked }))
  let event = await events.next()
  while (!event!.json) event = await events.next()
  await release('two')
  const { json } = await post(url, rpc('tools/call', { name: 'pid' }), idle)
  expect(json.result.content[0].text).toMatch(/^two/)
  const result = { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' }
  expect((await post(url, { jsonrpc: '2.0', id: event!.json.id, result }, asked)).status).toBe(202)
  expect((await events.next())!.json.result.content[0].text).toBe('yes')
})

test('a session in one environment is unknown in another', async () => {
  const mcpId = await buildServer(daemon, echoServer('apart'))
  const [one, other] = await Promise.all(
    ['staging', 'production'].map(async environment =>
      Number(new URL((await deploy(daemon, mcpId, environment)).url).port),
    ),
  )
  const { sessionId } = await openSession(one!)
  await expect(callInSession(other!, 'say', sessionId)).rejects.toThrow('HTTP 404')
})
