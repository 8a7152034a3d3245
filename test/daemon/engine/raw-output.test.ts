import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startProcess } from '../../../src/daemon/engine/process-engine.ts'
import { RawOutput } from '../../../src/daemon/engine/raw-output.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcp-raw-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs this code in a sealed process without the in-process seals. Returns its log and its messages. */
async function run(name: string, source: string) {
  const logPath = join(folder, `${name}.log`)
  const program = join(folder, name, 'program.mjs')
  mkdirSync(join(folder, name))
  writeFileSync(program, `import fs from 'node:fs'\n${source}`)
  const { child } = startProcess({ program, kind: 'sealed', id: `inst_${name}`, logPath, memoryLimitMb: 64 })
  const raw = new RawOutput(child, () => logPath)
  const messages: unknown[] = []
  child.on('message', message => messages.push(message))
  await once(child, 'close')
  const lines = readFileSync(logPath, 'utf8').split('\n').filter(Boolean)
  return { logPath, lines, messages, tail: raw.tail }
}

const FORGED = JSON.stringify({
  timestamp: '2026-01-01T00:00:00.000Z',
  level: 'error',
  stream: 'server',
  message: 'forged',
})

test('raw output is wrapped as text in log lines, so it cannot forge a line', async () => {
  const { lines, tail } = await run(
    'forge',
    `fs.writeSync(1, ${JSON.stringify(`${FORGED}\n`)}); fs.writeSync(2, 'fatal')`,
  )
  const parsed = lines.map(line => JSON.parse(line))
  expect(parsed).toMatchObject([
    { stream: 'stdout', level: 'info', message: FORGED },
    { stream: 'stderr', level: 'error', message: 'fatal' },
  ])
  expect(tail).toContain('fatal')
})

test('a flood of raw output is logged in part, and dropped lines are counted', async () => {
  const flood = `const part = ('x'.repeat(1000) + '\\n').repeat(64)
    const write = text => { for (;;) try { return fs.writeSync(2, text) } catch (error) { if (error.code !== 'EAGAIN') throw error } }
    for (let i = 0; i < 400; i++) write(part)
    setTimeout(() => write('last\\n'), 1500)`
  const { logPath, lines } = await run('flood', flood)
  expect(statSync(logPath).size).toBeLessThan(2 * 1024 * 1024)
  expect(lines.some(line => /\d+ lines of raw output were dropped/.test(line))).toBe(true)
  expect(JSON.parse(lines.at(-1)!).message).toBe('last')
})

test('descriptors 1 and 2 of a sealed process are not its log', async () => {
  const { messages } = await run('descriptors', `process.send([1, 2].map(fd => fs.fstatSync(fd).isFile()))`)
  expect(messages).toEqual([[false, false]])
})

test.runIf(process.platform === 'linux')(
  'files of a sealed process cannot exceed the size limit',
  async () => {
    const grow = `process.on('SIGXFSZ', () => {})
    const log = Number(process.env.MCP_INSTANCE_LOG_DESCRIPTOR)
    try { fs.ftruncateSync(log, 300 * 1024 * 1024); process.send('grown') } catch (error) { process.send(error.code) }
    process.disconnect()`
    const { messages, logPath } = await run('grow', grow)
    expect(messages).toEqual(['EFBIG'])
    expect(statSync(logPath).size).toBe(0)
  },
)
