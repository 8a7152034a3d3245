import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { beginSession, post, postModern, rpc, send } from '../../helpers/clients/mcp-requests.ts'
import { deployFolder } from '../../helpers/daemon/custom-server.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { buildServer, deploy, echoServer } from '../http/fixtures.ts'

const STDIO = fileURLToPath(new URL('../../fixtures/programs/stdio-server.mjs', import.meta.url))
const SAY = `export default {
  description: 'Says it again',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  handler: ({ text }) => 'You said ' + text,
}`

interface Deployed {
  deployment_id: string
  url: string
}

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon()
})

afterAll(() => daemon.close())

const instancesOf = async ({ deployment_id }: Deployed) =>
  (await daemon.api('GET', `/v1/deploy/${deployment_id}/status`)).body.data.instances

async function wakingLines(deploymentId: string): Promise<string[]> {
  const { body } = await daemon.api('GET', `/api/lambda-deploy/${deploymentId}/logs?limit=10000`)
  const messages: string[] = body.lines.map(({ message }: { message: string }) => message)
  return messages.filter(message => message.startsWith('woken'))
}

async function deployDeclared(name: string): Promise<Deployed> {
  return deploy(daemon, await buildServer(daemon, echoServer(name)))
}

async function deployModule(name: string): Promise<Deployed> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-asleep-'))
  mkdirSync(join(folder, 'tools'))
  writeFileSync(join(folder, 'tools', 'say.ts'), SAY)
  const deployed = await deployFolder(daemon, name, folder, { environment: 'staging' })
  rmSync(folder, { recursive: true })
  return deployed
}

async function deployProgram(name: string): Promise<Deployed> {
  const program = { type: 'stdio', command: process.execPath, args: [STDIO], isolation: { sandbox: 'off' } }
  return deploy(daemon, await buildServer(daemon, { name, template: 'custom', program }), 'staging')
}

const KINDS = {
  'a declared server': { make: deployDeclared, tool: 'say', answer: 'You said hello' },
  'a server with modules': { make: deployModule, tool: 'say', answer: 'You said hello' },
  'a program over stdio': { make: deployProgram, tool: 'echo', answer: 'hello' },
}

describe.each(Object.entries(KINDS))('%s that sleeps', (kind, { make, tool, answer }) => {
  const call = { name: tool, arguments: { text: 'hello' } }
  let deployed: Deployed

  beforeAll(async () => {
    deployed = await make(kind.replaceAll(' ', '-'))
    await daemon.restart()
  })

  test('answers health checks and lists, for legacy and modern clients, while it sleeps', async () => {
    const { url } = deployed
    expect((await send(url.replace('/mcp', '/health'))).json).toMatchObject({ status: 'ok' })
    const session = await beginSession(url)
    const legacy = await post(url, rpc('tools/list'), session)
    const modern = await postModern(url, 'tools/list')
    for (const { json } of [legacy, modern])
      expect(json.result.tools.map(({ name }: { name: string }) => name)).toContain(tool)
    expect((await postModern(url, 'server/discover')).status).toBe(200)
    expect((await post(url, rpc('ping'), session)).json.result).toEqual({})
    const health = await daemon.api('GET', `/api/lambda-deploy/${deployed.deployment_id}/health`)
    expect(health.body.status).toBe('healthy')
    expect(await instancesOf(deployed)).toEqual([])
  })

  test('a call in a session that started while the server slept wakes it', async () => {
    const { url } = deployed
    const session = await beginSession(url)
    expect(await instancesOf(deployed)).toEqual([])
    expect((await post(url, rpc('tools/call', call), session)).text).toContain(answer)
    expect(await instancesOf(deployed)).toHaveLength(1)
    expect((await post(url, rpc('tools/call', call), session)).text).toContain(answer)
    // Log lines are written in batches, shortly after the call.
    await expect.poll(() => wakingLines(deployed.deployment_id)).toEqual(['woken by a request'])
  })

  test('a server describes itself the same way awake and asleep', async () => {
    const { url } = deployed
    await postModern(url, 'tools/call', call)
    const awake = (await postModern(url, 'server/discover')).json.result
    await daemon.restart()
    const asleep = (await postModern(url, 'server/discover')).json.result
    // A program's description does not say which of its lists can change.
    if (kind === 'a program over stdio')
      expect(Object.keys(asleep.capabilities)).toEqual(Object.keys(awake.capabilities))
    else expect(asleep).toEqual(awake)
  })
})

test('a server that cannot start answers list requests, and answers calls with 503 and Retry-After', async () => {
  const deployed = await deployModule('broken')
  await daemon.restart()
  const { artifacts } = daemon.home
  for (const name of readdirSync(artifacts)) if (name.endsWith('.mjs')) rmSync(join(artifacts, name))
  expect((await postModern(deployed.url, 'tools/list')).status).toBe(200)
  const call = { name: 'say', arguments: { text: 'hello' } }
  const { status, headers, json } = await postModern(deployed.url, 'tools/call', call)
  expect(status).toBe(503)
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  expect(json.error.message).toContain('is missing its bundle')
})
