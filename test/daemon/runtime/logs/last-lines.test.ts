import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type OlderThan, readTail } from '../../../../src/daemon/runtime/logs/last-lines.ts'
import { listSegments } from '../../../../src/daemon/runtime/logs/log-segments.ts'
import { logLine as line, writeLines } from '../../../helpers/daemon/log-lines.ts'

const INSTANCES = 80

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mcp-logs-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** Writes `count` lines for each instance, with times that alternate between the instances. */
function writeAll(count: number, from = 0): void {
  for (let instance = 0; instance < INSTANCES; instance++) {
    const lines = Array.from({ length: count }, (_, index) => from + index * INSTANCES + instance)
    writeLines(dir, `inst_${instance}`, ...lines.map(second => line(second, String(second))))
  }
}

test('paging through the logs of many instances returns each line once while new lines are written', async () => {
  writeAll(3)
  const found: number[] = []
  let from: OlderThan | undefined
  for (let page = 0; page === 0 || from; page++) {
    const { lines, next } = await readTail(await listSegments(dir), {}, 30, { from, scan: 30 })
    found.push(...lines.map(({ message }) => Number(message)))
    from = next
    if (page < 5) writeAll(2, 1000 * (page + 1))
    if (page > 100) throw new Error('The pages do not end.')
  }
  expect(found).toEqual(Array.from({ length: 3 * INSTANCES }, (_, index) => 3 * INSTANCES - 1 - index))
})

test('merging many small files does not block other work', async () => {
  writeAll(25)
  let lines = 0
  let most = 0
  let turn = setImmediate(function next() {
    lines = 0
    turn = setImmediate(next)
  })
  const accepts = () => {
    most = Math.max(most, ++lines)
    return false
  }
  await readTail(await listSegments(dir), { accepts }, 1)
  clearImmediate(turn)
  expect(most).toBeGreaterThan(100)
  expect(most).toBeLessThanOrEqual(1000)
})
