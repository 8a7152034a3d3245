import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { pruneLogs, rotateWhenDue } from '../../../../src/daemon/runtime/logs/log-rotation.ts'
import { LogStore } from '../../../../src/daemon/runtime/logs/log-store.ts'
import { logLine, writeLines } from '../../../helpers/daemon/log-lines.ts'

let dir: string
let logs: LogStore
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mcp-logs-'))
  logs = new LogStore(dir)
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const LIMITS = { segmentBytes: 1, keptSegments: 5, keptInstances: 5 }
const rotate = (instance: string) => rotateWhenDue(logs, 'd', instance, { limits: LIMITS })
const write = (instance: string, ...seconds: number[]) =>
  writeLines(join(dir, 'd'), instance, ...seconds.map(second => logLine(second, `${instance}${second}`)))

test('paging backwards returns the log in reverse, across raw output, rotations and new lines', async () => {
  write('a', 1, 3)
  await rotate('a')
  appendFileSync(join(dir, 'd', 'a.log'), 'printed\n\n  at a stack\n')
  write('a', 4, 6)
  write('b', 2, 3, 5, 7)
  appendFileSync(join(dir, 'd', 'b.log'), '{"timestamp": "half a li')
  const all = (await logs.page('d', { limit: 100 })).lines.reverse()
  for (const limit of [1, 2, 3, 100]) {
    const seen: unknown[] = []
    let nextToken: string | undefined
    do {
      const page = await logs.newest('d', { limit, nextToken })
      seen.push(...page.lines)
      nextToken = page.nextToken ?? undefined
      await rotate('a')
      write('c', 100 + limit)
    } while (nextToken)
    rmSync(join(dir, 'd', 'c.log'))
    expect(seen).toEqual(all)
  }
})

test('a line is found by its position until its segment is removed', async () => {
  write('a', 1, 2)
  const [second, first] = (await logs.newest('d', { limit: 2 })).lines
  await rotate('a')
  write('a', 3)
  for (const line of [first!, second!]) expect(await logs.lineAt('d', 'a', line.at!)).toEqual(line)
  await pruneLogs(logs, 'd', { limits: { ...LIMITS, keptSegments: 0 }, running: new Set(['a']) })
  expect(await logs.lineAt('d', 'a', first!.at!)).toBeUndefined()
  expect(await logs.lineAt('d', 'none', first!.at!)).toBeUndefined()
})

test('a page searches part of a long log, and the next page continues there', async () => {
  write('a', ...Array.from({ length: 20_010 }, (_, second) => second))
  const query = { limit: 1, grep: 'a0' }
  const first = await logs.newest('d', query)
  expect(first.lines).toEqual([])
  const second = await logs.newest('d', { ...query, nextToken: first.nextToken! })
  expect(second.lines).toMatchObject([{ message: 'a0' }])
})

test.each([
  'none',
  'e30',
  Buffer.from('{"timestamp":"x","before":{"a":{"segment":"1"}}}').toString('base64url'),
])('rejects the token %s', async nextToken => {
  await expect(logs.newest('d', { limit: 1, nextToken })).rejects.toThrow('nextToken')
})
