import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { nodeFlags, processEnvironment, startProcess } from '../../../src/daemon/engine/process-engine.ts'
import { waitUntil } from '../../helpers/instance/runtime-harness.ts'
import { isRunning } from '../../helpers/processes.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcp-engine-'))
afterAll(() => rmSync(folder, { recursive: true }))

test("a process gets its id, a channel and an environment without the daemon's secrets", async () => {
  process.env.MCP_API_KEY = 'not-for-instances'
  const child = start(
    'speak',
    `process.send({ id: process.argv[2], names: Object.keys(process.env), key: process.env.MCP_API_KEY })`,
  )
  const [{ id, names, key }] = await once(child, 'message')
  delete process.env.MCP_API_KEY
  await once(child, 'close')
  expect(id).toBe('inst_speak')
  expect(key).toBeUndefined()
  expect(names).not.toContain('PATH')
  expect(names).not.toContain('NODE_OPTIONS')
})

test('a process inherits only environment variables that affect dates and text', () => {
  const environment = {
    TZ: 'Asia/Tokyo',
    LANG: 'C',
    NODE_OPTIONS: '--x',
    NODE_EXTRA_CA_CERTS: '/x',
    HOME: '/h',
  }
  const passed = processEnvironment(environment)
  expect(passed).toMatchObject({ TZ: 'Asia/Tokyo', LANG: 'C' })
  for (const name of ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'HOME']) expect(passed).not.toHaveProperty(name)
})

test("except on Node 22, the flags let V8 use code that was compiled without flags, such as Node's own modules", () => {
  const file = join(folder, 'compiled')
  const run = (flags: string[], script: string) =>
    execFileSync(process.execPath, [...flags, '-e', `const { Script } = vm; ${script}`], {
      encoding: 'utf8',
      env: {},
    })
  run([], `fs.writeFileSync(${JSON.stringify(file)}, new Script('1 + 1').createCachedData())`)
  const isRefused = (flags: string[]) =>
    run(
      flags,
      `const cachedData = fs.readFileSync(${JSON.stringify(file)})
       console.log(new Script('1 + 1', { cachedData }).cachedDataRejected)`,
    ).trim()
  // The V8 of Node 22 rejects the code as soon as there is any flag.
  expect(isRefused(nodeFlags(256))).toBe(process.versions.node.startsWith('22.') ? 'true' : 'false')
  expect(isRefused(['--semi-space-growth-factor=8'])).toBe('true')
})

test('output continues in the same log file after it is renamed', async () => {
  const child = start(
    'print',
    `console.log('before'); process.on('message', () => { console.error('after'); process.disconnect() }); process.send('printed')`,
  )
  await once(child, 'message')
  renameSync(join(folder, 'print.log'), join(folder, 'renamed.log'))
  child.send('go on')
  await once(child, 'close')
  expect(readFileSync(join(folder, 'renamed.log'), 'utf8')).toBe('before\nafter\n')
})

test('a process above its memory limit crashes', async () => {
  const child = start('greedy', `const kept = []; for (;;) kept.push(new Array(10000).fill({}))`, 16)
  const [code, signal] = await once(child, 'close')
  expect(code !== 0 || signal !== null).toBe(true)
  expect(readFileSync(join(folder, 'greedy.log'), 'utf8')).toContain('heap out of memory')
})

test('a sealed process is killed with the daemon, even in an endless loop', async () => {
  const busy = join(folder, 'busy.mjs')
  writeFileSync(busy, `process.send(process.pid, () => { for (;;); })`)
  const engine = fileURLToPath(new URL('../../../src/daemon/engine/process-engine.ts', import.meta.url))
  const options = {
    program: busy,
    kind: 'sealed',
    id: 'busy',
    logPath: join(folder, 'busy.log'),
    memoryLimitMb: 64,
  }
  const parent = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { startProcess } from ${JSON.stringify(engine)}
      import { nodePid } from ${JSON.stringify(engine.replace('process-engine', 'wrapped-child'))}
      const { child, depth } = startProcess(${JSON.stringify(options)})
      child.on('message', () => process.send(depth ? nodePid(child, depth) : child.pid))`,
    ],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  )
  const [pid] = await once(parent, 'message')
  parent.kill('SIGKILL')
  await waitUntil(() => !isRunning(pid))
})

function start(name: string, source: string, memoryLimitMb = 64) {
  const program = join(folder, `${name}.mjs`)
  writeFileSync(program, source)
  return startProcess({
    program,
    kind: 'open',
    id: `inst_${name}`,
    logPath: join(folder, `${name}.log`),
    memoryLimitMb,
  }).child
}
