import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RequestRecordItem } from '../../../src/shared/contract/monitoring/requests.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import { logLine, writeLines } from '../../helpers/daemon/log-lines.ts'
import { eventually, type TestHome } from '../../helpers/daemon/mcp.ts'

let home: TestHome

beforeAll(async () => {
  home = await startHome()
  const project = join(home.dir, 'greeter')
  mkdirSync(project)
  const properties = { name: { type: 'string' }, times: { type: 'number' }, token: { type: 'string' } }
  const inputSchema = { type: 'object', properties, required: ['name'] }
  const handler = { type: 'template', text: 'Hello {{ name }} {{ times }}' }
  const tools = [{ name: 'hello', description: 'Greets', inputSchema, handler }]
  writeFileSync(
    join(project, 'mcp.config.json'),
    JSON.stringify({ name: 'greeter', template: 'basic', tools }),
  )
  await home.json(['deploy', project])
  await home.mcp(['call', 'greeter', 'hello', 'name=Ada', 'times=2', 'token=abc'])
  await home.mcp(['call', 'greeter', 'hello', '{"name":7}'])
  await eventually(async () => ((await calls()).length === 2 ? true : undefined))
})

afterAll(() => home.remove())

const calls = (...filters: string[]) =>
  home.json<RequestRecordItem[]>(['requests', 'greeter', '--tool', 'hello', ...filters])

test('mcp requests lists requests in a table, newest first, with an id that requests show accepts', async () => {
  const { stdout } = await home.mcp(['requests', 'greeter', '--tool', 'hello'])
  expect(stdout).toMatch(/^ID +AGE +REQUEST +TIME +IN +OUT +OUTCOME\n/)
  const [failed, first] = stdout.split('\n').slice(1)
  expect([failed, first]).toEqual([
    expect.stringMatching(/ hello .* error: .*"name"/),
    expect.stringMatching(/ hello .* ok$/),
  ])
  const [id] = first!.split(' ', 1)
  const shown = await home.mcp(['requests', 'show', id!])
  expect(shown.stdout).toMatch(/^hello ok\n/)
  expect(shown.stdout).toContain('"name":"Ada"')
  expect(shown.stdout).not.toContain('abc')
})

test('requests can be filtered by outcome and text, and limited in number', async () => {
  expect(await calls('--failed', '--since', '1h')).toMatchObject([{ outcome: 'error' }])
  expect(await calls('--grep', 'Hello Ada')).toMatchObject([{ outcome: 'ok' }])
  expect(await calls('-n', '1')).toHaveLength(1)
})

test('requests replay repeats a call with other arguments, converted to the types of the recorded ones', async () => {
  const [{ id }] = (await calls('--grep', 'Hello Ada')) as [RequestRecordItem]
  const redacted = await home.mcp(['requests', 'replay', id, 'times=3'])
  expect([redacted.code, redacted.stderr]).toEqual([2, expect.stringContaining('"token" contains a secret')])
  const repeated = await home.mcp(['requests', 'replay', id, 'times=3', 'token=x'])
  expect([repeated.code, repeated.stdout]).toEqual([0, 'Hello Ada 3\n'])
  const failed = await home.mcp(['requests', 'replay', id, '{"name":7}', 'token=x'])
  expect(failed.code).toBe(1)
})

test('requests show finds a request by its listed id even if many newer ones exist', async () => {
  const [first] = (await calls('--grep', 'Hello Ada', '--until', '0s')).slice(-1) as [RequestRecordItem]
  const newer = Array.from({ length: 1001 }, () =>
    logLine(Date.now() / 1000, 'ping', { stream: 'mcp', method: 'ping', outcome: 'ok', ms: 1 }),
  )
  writeLines(join(home.dir, 'logs', first.deploymentId!), 'inst_newer', ...newer)
  const [offset, segment] = first.id.split('.')
  const { stdout } = await home.mcp(['requests', 'show', `${offset}.${segment}`, '--json'])
  expect(JSON.parse(stdout).id).toBe(first.id)
})

test('requests show rejects an ambiguous id and lists the matching ids', async () => {
  const { code, stderr } = await home.mcp(['requests', 'show', 'req_1'])
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/"req_1" matches \d+ ids\..*\n.*req_\w+\.1\.inst_/),
  ])
})

test('requests export rejects a limit above 1000', async () => {
  const { code, stderr } = await home.mcp(['requests', 'export', '-n', '1001'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--limit is 1001, expected 1 to 1000')])
})

test('requests export writes an HTTP archive to a file', async () => {
  const file = join(home.dir, 'greeter.har')
  await home.mcp(['requests', 'export', 'greeter', '-o', file, '--tool', 'hello'])
  const { log } = JSON.parse(readFileSync(file, 'utf8'))
  expect(log.entries[0]).toMatchObject({ _record: { tool: 'hello', server: 'greeter' } })
})

test('an unknown server or request is an error with a next step', async () => {
  const server = await home.mcp(['requests', 'greetr'])
  expect(server.stderr).toContain('Did you mean "greeter"?')
  const request = await home.mcp(['requests', 'show', 'req_none'])
  expect(request.stderr).toContain('mcp requests')
  expect(request.code).not.toBe(0)
})

test('commands for resources and prompts say that a server has none, and cause no warning in its log', async () => {
  const read = await home.mcp(['read', 'greeter', 'a://b'])
  expect([read.code, read.stderr]).toEqual([
    4,
    expect.stringContaining('Unknown resource "a://b". The server has no resources.'),
  ])
  const prompt = await home.mcp(['prompt', 'greeter', 'x'])
  expect(prompt.stderr).toContain('Unknown prompt "x". The server has no prompts.')
  expect(await home.json(['resources', 'greeter'])).toEqual({ resources: [], resourceTemplates: [] })
  const search = ['logs', 'greeter', '--grep', 'prompts/list error: Method not found']
  const found = await eventually(async () => (await home.mcp(search)).stdout)
  expect(found).toContain(' info  mcp    prompts/list error: Method not found ')
  expect((await home.mcp([...search, '--level', 'warn'])).stdout).toBe('')
})
