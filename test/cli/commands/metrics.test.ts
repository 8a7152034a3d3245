import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LiveMetrics, ServerMetrics } from '../../../src/shared/contract/monitoring/metrics.ts'
import { type DaemonHome, startHome } from '../../helpers/daemon/daemon-home.ts'
import { eventually, MCP_BIN } from '../../helpers/daemon/mcp.ts'

let home: DaemonHome

beforeAll(async () => {
  home = await startHome()
  const directory = join(home.dir, 'project')
  mkdirSync(directory)
  const inputSchema = { type: 'object', properties: { name: { type: 'string' } } }
  const handler = { type: 'template', text: 'Hello {{ name }}' }
  const tools = [{ name: 'hello', description: 'Greets', inputSchema, handler }]
  writeFileSync(
    join(directory, 'mcp.config.json'),
    JSON.stringify({ name: 'greeter', template: 'basic', tools }),
  )
  await home.json(['deploy', directory])
})

afterAll(() => home.remove())

const call = () => home.mcp(['call', 'greeter', 'hello', 'name=Ada'])
const calls = ({ items }: ServerMetrics) => items[0]?.tools.find(({ tool }) => tool === 'hello')?.total ?? 0

/** Starts a command. Returns its process and the lines it prints. */
function start(args: string[]): { child: ChildProcessWithoutNullStreams; lines: AsyncIterator<string> } {
  const child = spawn(process.execPath, [MCP_BIN, ...args], { env: home.env })
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
}

async function interrupt(child: ChildProcessWithoutNullStreams): Promise<unknown> {
  const closed = once(child, 'close')
  child.kill('SIGINT')
  return (await closed)[0]
}

test('mcp metrics shows requests by time and by tool', async () => {
  await call()
  await call()
  const history = await eventually(async () => {
    const history = await home.json<ServerMetrics>(['metrics', 'greeter'])
    return calls(history) === 2 ? history : undefined
  })
  expect(history.items).toMatchObject([
    { stepSeconds: 60, requests: { errors: 0 }, releases: [{ version: 1 }] },
  ])
  const { stdout, stderr } = await home.mcp(['metrics', 'greeter', '--since', '2d', '--step', '1d'])
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^greeter in development from 20\d\d-\d\d-\d\d 00:00 to /)
  expect(stdout).toMatch(/\nTOOL +CALLS +ERRORS +P50 +P99\nhello +2 +0 % +[\d.]+ m?s +[\d.]+ m?s\n/)
})

test('status --watch --json prints one object per refresh, until Ctrl-C', async () => {
  const { child, lines } = start(['status', '--watch', '--interval', '1s', '--json'])
  const next = async (): Promise<LiveMetrics> => JSON.parse((await lines.next()).value)
  expect(await next()).toMatchObject({ windowSeconds: 300, deployments: [{ name: 'greeter' }] })
  const called = call()
  let seen = await next()
  while (seen.deployments[0]!.requests.total === 0) seen = await next()
  expect(seen.deployments[0]).toMatchObject({ instances: 1, requests: { errors: 0 } })
  expect(seen.deployments[0]!.requestsPerSecond).toBeGreaterThan(0)
  await called
  expect(await interrupt(child)).toBe(130)
})

test('status --watch of one deployment shows its tools and instances', async () => {
  const { child, lines } = start(['status', 'greeter', '--watch', '--interval', '1s', '--json'])
  const isDone = ({ deployments: [one] }: LiveMetrics) =>
    one!.tools!.some(({ tool, total }) => tool === 'hello' && total === 1) &&
    one!.running![0]!.requests!.total > 0
  await lines.next() // covers the requests before this test
  const called = call()
  let seen: LiveMetrics = JSON.parse((await lines.next()).value)
  while (!isDone(seen)) seen = JSON.parse((await lines.next()).value)
  expect(seen.deployments[0]!.running).toEqual([expect.objectContaining({ state: 'ready', restarts: 0 })])
  await called
  expect(await interrupt(child)).toBe(130)
})

test('status --watch prints plain lines without a terminal', async () => {
  const { child, lines } = start(['status', 'greeter', '--watch', '--interval', '1s'])
  const header = (await lines.next()).value
  expect(header).toMatch(/^TIME +SERVER +ENVIRONMENT +REQ\/S +ERRORS +P50 +P99 +INSTANCES +MEMORY$/)
  for (let count = 0; count < 2; count++)
    expect((await lines.next()).value).toMatch(/^20\d\d-\S+Z +greeter +development +\d/)
  expect(await interrupt(child)).toBe(130)
})

test('logs -f and status --watch continue after a restart of the daemon, without missing or duplicate log lines', async () => {
  const args = ['--json', '--grep', 'tools/call', '--level', 'info']
  const { child, lines } = start(['logs', 'greeter', '-f', '--since', '1h', ...args])
  const watched = start(['status', '--watch', '--interval', '1s', '--json'])
  const before = (await home.mcp(['logs', 'greeter', '--since', '1h', ...args])).stdout.trim().split('\n')
  for (const line of before) expect(JSON.parse((await lines.next()).value)).toEqual(JSON.parse(line))
  await watched.lines.next()
  for (let round = 0; round < 2; round++) {
    await home.restart()
    await call()
  }
  await call()
  const all = await eventually(async () => {
    const lines = (await home.mcp(['logs', 'greeter', '--since', '1h', ...args])).stdout.trim().split('\n')
    return lines.length === before.length + 3 ? lines : undefined
  })
  for (const line of all.slice(before.length))
    expect(JSON.parse((await lines.next()).value)).toEqual(JSON.parse(line))
  expect(await interrupt(child)).toBe(130)
  const opened = JSON.parse((await watched.lines.next()).value)
  expect(opened.deployments).toMatchObject([{ name: 'greeter' }])
  expect(await interrupt(watched.child)).toBe(130)
})

test('mcp events prints changes as they happen and continues after a restart of the daemon', async () => {
  const { child, lines } = start(['events', 'greeter', '--type', 'deployment', '--json'])
  const text = start(['events', 'greeter', '--type', 'Deployment'])
  const next = async () => JSON.parse((await lines.next()).value)
  expect(await next()).toEqual({ type: 'reset', reason: 'new' })
  expect((await text.lines.next()).value).toBe('following changes')
  await home.mcp(['stop', 'greeter'])
  const stopped = await next()
  expect(stopped).toMatchObject({ type: 'deployment', server: 'greeter', status: 'stopped' })
  expect((await text.lines.next()).value).toMatch(
    /^\d\d:\d\d:\d\d deployment updated greeter\/development dep_\w+ stopped$/,
  )
  await interrupt(text.child)
  await home.restart()
  expect(await next()).toEqual({ type: 'reset', reason: 'restarted' })
  await home.mcp(['start', 'greeter'])
  expect(await next()).toMatchObject({ id: stopped.id, status: 'deploying' })
  expect(await interrupt(child)).toBe(130)
})

test('mcp events names an unknown type in its error', async () => {
  const { code, stderr } = await home.mcp(['events', '--type', 'cloud'])
  expect(code).toBe(2)
  expect(stderr).toContain('--type: unknown type "cloud".')
})
