import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { rotateDaemonLog } from '../../src/daemon/daemon-log.ts'

const MODULE = fileURLToPath(new URL('../../src/daemon/daemon-log.ts', import.meta.url))

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-log-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a program whose standard error is the given file. Returns its exit code. */
async function logTo(path: string, statement = "logDaemon('info', 'hello', { port: 1 })"): Promise<number> {
  const descriptor = openSync(path, 'a')
  const program = `import { logDaemon, rotateDaemonLog } from ${JSON.stringify(MODULE)}; ${statement}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', descriptor],
  })
  const [code] = await once(child, 'exit')
  closeSync(descriptor)
  return code
}

test('the daemon log has lines of JSON with time, level, message and fields', async () => {
  const path = join(folder, 'daemon.log')
  expect(await logTo(path)).toBe(0)
  const line = JSON.parse(readFileSync(path, 'utf8'))
  expect(line).toEqual({ timestamp: expect.any(String), level: 'info', message: 'hello', port: 1 })
})

test('the daemon log drops a line on a full disk instead of crashing', async () => {
  expect(await logTo('/dev/full')).toBe(0)
})

test('a large daemon log is rotated, and one older file is kept', () => {
  const path = join(folder, 'daemon.log')
  writeFileSync(path, 'x'.repeat(11))
  rotateDaemonLog(path, 10)
  expect(readFileSync(path, 'utf8')).toBe('')
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('x'.repeat(11))
})

test('a daemon log that cannot be rotated stays unchanged and gets a warning', async () => {
  const path = join(folder, 'daemon.log')
  const old = `${'x'.repeat(11)}\n`
  writeFileSync(path, old)
  mkdirSync(`${path}.1`)
  expect(await logTo(path, `rotateDaemonLog(${JSON.stringify(path)}, 10)`)).toBe(0)
  const content = readFileSync(path, 'utf8')
  expect(content.startsWith(old)).toBe(true)
  expect(content).toContain('cannot rotate the log')
})
