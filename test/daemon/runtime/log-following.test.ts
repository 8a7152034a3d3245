import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { rotateWhenDue } from '../../../src/daemon/runtime/logs/log-rotation.ts'
import { LogStore } from '../../../src/daemon/runtime/logs/log-store.ts'
import type { LogLine } from '../../../src/shared/instances/log-line.ts'
import { logLine as line, writeLines } from '../../helpers/daemon/log-lines.ts'

const ALWAYS_FULL = { segmentBytes: 1, keptSegments: 5, keptInstances: 5 }

let dir: string
let logs: LogStore
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mcp-logs-'))
  logs = new LogStore(dir)
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const write = (instance: string, ...lines: LogLine[]) => writeLines(join(dir, 'd'), instance, ...lines)
const rotate = (instance: string) => rotateWhenDue(logs, 'd', instance, { limits: ALWAYS_FULL })

test('following a log yields the tail and then every new line, across a rotation, until the signal aborts', async () => {
  write('a', line(1, 'old'), line(2, 'last'))
  const abort = new AbortController()
  const seen: string[] = []
  for await (const { line: entry } of logs.follow('d', { tail: 1, signal: abort.signal })) {
    seen.push(entry.message)
    if (entry.message === 'last') write('a', line(3, 'new'))
    if (entry.message === 'new') {
      await rotate('a')
      write('a', line(4, 'after rotation'))
    }
    if (entry.message === 'after rotation') write('b', line(5, 'another instance'))
    if (entry.message === 'another instance') abort.abort()
  }
  expect(seen).toEqual(['last', 'new', 'after rotation', 'another instance'])
})

test('following a log continues from a token, across a rotation, without missing or duplicate lines', async () => {
  write('a', line(1, 'one'), line(3, 'three'))
  write('b', line(2, 'two'))
  const abort = new AbortController()
  const tokens: string[] = []
  for await (const { token } of logs.follow('d', { since: line(0, '').timestamp, signal: abort.signal })) {
    tokens.push(token!)
    if (tokens.length === 3) abort.abort()
  }
  await rotate('a')
  write('a', line(4, 'four'))
  write('c', line(5, 'five'))
  expect(await followed('five', { after: tokens[0]! })).toEqual(['two', 'three', 'four', 'five'])
  expect(await followed('five', { after: tokens[2]! })).toEqual(['four', 'five'])
})

test('the position of an interrupted follower does not name instances whose files are gone', async () => {
  write('gone', line(1, 'one'))
  write('kept', line(2, 'two'))
  const abort = new AbortController()
  const tokens: string[] = []
  const since = line(0, '').timestamp
  for await (const { line: entry, token } of logs.follow('d', { since, signal: abort.signal })) {
    tokens.push(token!)
    if (entry.message === 'two') {
      rmSync(join(dir, 'd', 'gone.log'))
      write('kept', line(3, 'three'))
    }
    if (entry.message === 'three') abort.abort()
  }
  const named = tokens.map(token => Object.keys(JSON.parse(Buffer.from(token, 'base64url').toString())))
  expect(named.slice(1)).toEqual([['gone', 'kept'], ['kept']])
})

test('following a log since a time starts with the first line at or after that time', async () => {
  write('a', line(1, 'one'), line(2, 'two'), line(3, 'three'))
  expect(await followed('three', { since: line(2, '').timestamp })).toEqual(['two', 'three'])
})

/** Follows the log up to the message `until`. Returns the messages. */
async function followed(until: string, query: { after?: string; since?: string }): Promise<string[]> {
  const abort = new AbortController()
  const seen: string[] = []
  for await (const { line: entry } of logs.follow('d', { ...query, signal: abort.signal })) {
    seen.push(entry.message)
    if (entry.message === until) abort.abort()
  }
  return seen
}
