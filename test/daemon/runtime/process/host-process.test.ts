import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { HostProcess } from '../../../../src/daemon/runtime/process/host-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcp-host-'))
afterAll(() => rmSync(folder, { recursive: true }))

const REPORT = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'

/** Starts a process that prints this and then hangs until it is killed. Returns how it ended. */
async function endingAfter(printed: string) {
  const program = join(folder, 'program.mjs')
  writeFileSync(program, `process.stderr.write(${JSON.stringify(`${printed}\n`)}); for (;;);`)
  const logPath = join(folder, 'host.log')
  writeFileSync(logPath, '')
  const options = {
    id: 'host_a',
    kind: 'sealed',
    program,
    logPath,
    memoryLimitMb: 64,
    hangTimeoutMs: 1000,
  } as const
  return await new HostProcess(options, () => {}).ended
}

test('a process killed during the V8 report of a full heap is reported as out of memory', async () => {
  const { reason } = await endingAfter(REPORT)
  expect(reason).toBe('crashed: out of memory (limit 64 MB)')
})

test('a process that reads nothing is killed after 20000 unread messages', async () => {
  const program = join(folder, 'deaf.mjs')
  writeFileSync(program, 'for (;;);')
  const logPath = join(folder, 'deaf.log')
  writeFileSync(logPath, '')
  const host = new HostProcess(
    { id: 'host_b', kind: 'sealed', program, logPath, memoryLimitMb: 64, hangTimeoutMs: 60_000 },
    () => {},
  )
  for (let sent = 0; sent < 25_000; sent++) host.send({ type: 'ping' })
  const { reason } = await host.ended
  expect(reason).toBe('was killed because it left 20000 messages from the daemon unread')
})

test('a process that only logs the text of a V8 report is not reported as out of memory', async () => {
  const { reason } = await endingAfter(JSON.stringify({ message: REPORT }))
  expect(reason).toMatch(/^was killed because its code ran for [\d.]+ s without yielding$/)
})
