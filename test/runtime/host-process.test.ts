import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { HostProcess } from '../../src/daemon/runtime/host-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcp-host-'))
afterAll(() => rmSync(folder, { recursive: true }))

const REPORT = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'

/** How a process ends that prints this and then answers nothing. */
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
    patienceMs: 1000,
  } as const
  return await new HostProcess(options, () => {}).ended
}

test('one that is killed while V8 still reports that its heap is full was out of memory', async () => {
  const { reason } = await endingAfter(REPORT)
  expect(reason).toBe('crashed: out of memory (limit 64 MB)')
})

test('one that only prints the same was not', async () => {
  const { reason } = await endingAfter(JSON.stringify({ message: REPORT }))
  expect(reason).toMatch(/^was killed because its code ran for [\d.]+ s without yielding$/)
})
