import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LogReader } from '../../../../src/daemon/runtime/logs/log-reader.ts'
import { pruneLogs, rotateWhenDue } from '../../../../src/daemon/runtime/logs/log-rotation.ts'
import { listSegments } from '../../../../src/daemon/runtime/logs/log-segments.ts'
import { LogStore } from '../../../../src/daemon/runtime/logs/log-store.ts'
import type { LogLine } from '../../../../src/shared/instances/log-line.ts'
import { logLine as line, writeLines } from '../../../helpers/daemon/log-lines.ts'

let dir: string
let logs: LogStore
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mcp-logs-'))
  logs = new LogStore(dir)
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const write = (id: string, instance: string, ...lines: LogLine[]) =>
  writeLines(join(dir, id), instance, ...lines)

async function allMessages(
  id: string,
  limit: number,
  between = async (): Promise<unknown> => undefined,
): Promise<string[]> {
  const messages: string[] = []
  let nextToken: string | undefined
  do {
    const page = await logs.page(id, { limit, ...(nextToken ? { nextToken } : {}) })
    messages.push(...page.lines.map(entry => entry.message))
    nextToken = page.nextToken ?? undefined
    await between()
  } while (nextToken)
  return messages
}

test('an unknown deployment has an empty log', async () => {
  expect(await logs.page('dep_none', { limit: 10 })).toEqual({ lines: [], nextToken: null })
})

test('the files of several instances are merged by time and paged without loss', async () => {
  write('d', 'a', line(1, 'one'), line(4, 'four'), line(5, 'five'))
  write('d', 'b', line(2, 'two'), line(3, 'three'))
  await logs.append('d', line(6, 'six'))
  expect(await allMessages('d', 2)).toEqual(['one', 'two', 'three', 'four', 'five', 'six'])
})

test('paging continues after the file has been rotated', async () => {
  write('d', 'a', ...Array.from({ length: 100 }, (_, i) => line(i, `line ${i}`)))
  const rotate = () =>
    rotateWhenDue(logs, 'd', 'a', { limits: { segmentBytes: 10, keptSegments: 50, keptInstances: 5 } })
  const messages = await allMessages('d', 30, async () => {
    await rotate()
    write('d', 'a', line(200, 'later'))
  })
  expect(messages.slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, i) => `line ${i}`))
  expect(messages.slice(100)).toContain('later')
})

test('rotation pauses the writer, keeps its file and removes the oldest segments', async () => {
  const held: string[] = []
  for (let round = 0; round < 4; round++) {
    write('d', 'a', line(round, `round ${round}`))
    const inode = statSync(join(dir, 'd', 'a.log')).ino
    const hold = async () => {
      held.push('hold')
      return () => void held.push('resume')
    }
    expect(
      await rotateWhenDue(logs, 'd', 'a', {
        hold,
        limits: { segmentBytes: 10, keptSegments: 2, keptInstances: 5 },
      }),
    ).toBe(true)
    expect(statSync(join(dir, 'd', 'a.log'))).toMatchObject({ ino: inode, size: 0 })
  }
  expect(held).toEqual(['hold', 'resume', 'hold', 'resume', 'hold', 'resume', 'hold', 'resume'])
  expect(readdirSync(join(dir, 'd')).sort()).toEqual(['a.3.log', 'a.4.log', 'a.log'])
  expect(await allMessages('d', 10)).toEqual(['round 2', 'round 3'])
})

test('level, since, until, grep and tail filter lines', async () => {
  write(
    'd',
    'a',
    line(1, 'started'),
    line(2, 'Slow call', { level: 'warn', tool: 'forecast' }),
    line(3, 'broke', { level: 'error' }),
  )
  const messages = async (query: object) =>
    (await logs.page('d', { limit: 10, ...query })).lines.map(entry => entry.message)
  expect(await messages({ level: 'warn' })).toEqual(['Slow call', 'broke'])
  expect(await messages({ since: line(2, '').timestamp })).toEqual(['Slow call', 'broke'])
  expect(await messages({ until: line(2, '').timestamp })).toEqual(['started'])
  expect(await messages({ grep: 'slow' })).toEqual(['Slow call'])
  expect(await messages({ grep: 'FORECAST' })).toEqual(['Slow call'])
  expect(await messages({ tail: 2 })).toEqual(['Slow call', 'broke'])
})

test('raw output is shown as printed', async () => {
  write('d', 'a', line(1, 'started'))
  appendFileSync(join(dir, 'd', 'a.log'), 'Error: out of cheese\n    at kitchen\n{"half":')
  const { lines } = await logs.page('d', { limit: 10 })
  expect(lines.map(entry => [entry.stream, entry.message])).toEqual([
    ['server', 'started'],
    ['stderr', 'Error: out of cheese'],
    ['stderr', '    at kitchen'],
  ])
})

test('rejects an invalid token and quotes it', async () => {
  writeFileSync(join(dir, 'x'), '')
  await expect(logs.page('d', { limit: 1, nextToken: 'bogus' })).rejects.toThrow('nextToken "bogus"')
})

test('pruning keeps the logs of the instances that wrote last', async () => {
  for (const [index, instance] of ['a', 'b', 'c'].entries()) {
    write('d', instance, line(index, instance))
    utimesSync(join(dir, 'd', `${instance}.log`), index + 1, index + 1)
  }
  await pruneLogs(logs, 'd', { limits: { keptSegments: 5, keptInstances: 2 } })
  expect(await allMessages('d', 10)).toEqual(['b', 'c'])
})

test("the daemon's own lines are rotated without loss", async () => {
  const limits = { segmentBytes: 200, keptSegments: 50, keptInstances: 5 }
  const messages = Array.from({ length: 40 }, (_, index) => `event ${index}`)
  await Promise.all(
    messages.flatMap((message, second) => [
      logs.append('d', line(second, message)),
      rotateWhenDue(logs, 'd', 'daemon', { limits }),
    ]),
  )
  expect(readdirSync(join(dir, 'd')).length).toBeGreaterThan(3)
  expect(statSync(join(dir, 'd', 'daemon.log')).size).toBeLessThan(400)
  expect((await allMessages('d', 100)).toSorted()).toEqual(messages.toSorted())
})

test('files of stopped instances are read once, not for each line of another instance', async () => {
  for (const ended of ['a', 'b', 'c']) write('dep_a', ended, line(1, ended))
  write('dep_a', 'busy', ...Array.from({ length: 500 }, (_, index) => line(2, `line ${index}`)))
  await using file = await open(join(dir, 'dep_a', 'busy.log'))
  const read = vi.spyOn(Object.getPrototypeOf(file), 'read')
  const { lines } = await logs.page('dep_a', { limit: 1000 })
  expect(lines).toHaveLength(503)
  expect(read.mock.calls.length).toBeLessThan(20)
  read.mockRestore()
})

test('the tail equals the end of the full log across raw output, rotation and partial lines', async () => {
  write('dep_1', 'inst_a', line(1, 'a1'), line(3, 'a3'))
  await rotateWhenDue(logs, 'dep_1', 'inst_a', {
    limits: { segmentBytes: 1, keptSegments: 5, keptInstances: 5 },
  })
  const raw = (name: string, text: string) => appendFileSync(join(dir, 'dep_1', `${name}.log`), text)
  raw('inst_a', 'printed\n\n  at a stack\n')
  write('dep_1', 'inst_a', line(4, 'x'.repeat(70_000)), line(6, 'ä'.repeat(34_000)))
  write('dep_1', 'inst_b', line(2, 'b2'), line(3, 'b3'), line(5, 'b5', { level: 'warn' }), line(7, 'b7'))
  raw('inst_b', '{"timestamp": "half a li')
  const all = (await logs.page('dep_1', { limit: 100 })).lines
  expect(all).toHaveLength(11)
  for (let tail = 1; tail <= all.length + 1; tail++)
    expect((await logs.page('dep_1', { limit: 100, tail })).lines).toEqual(all.slice(-tail))
  const warned = await logs.page('dep_1', { limit: 100, tail: 1, level: 'warn' })
  expect(warned.lines).toEqual(all.filter(({ level }) => level !== 'info').slice(-1))
})

test('files of stopped instances are not opened again to find new lines', async () => {
  for (let instance = 0; instance < 30; instance++) write('d', `inst_${instance}`, line(instance, 'old'))
  const first = LogReader.open(await listSegments(join(dir, 'd')))
  while (await first.next());
  await first.close()
  write('d', 'inst_7', line(100, 'new'))
  const second = LogReader.open(await listSegments(join(dir, 'd')), first.position)
  expect((await second.next())?.message).toBe('new')
  expect(openFilesIn(join(dir, 'd'))).toHaveLength(1)
  expect(await second.next()).toBeUndefined()
  await second.close()
})

/** Files in the folder that this process has open. One fake entry on systems other than Linux. */
function openFilesIn(folder: string): string[] {
  if (process.platform !== 'linux') return ['']
  return readdirSync('/proc/self/fd').flatMap(descriptor => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`)
      return path.startsWith(folder) ? path : []
    } catch {
      return [] // the descriptor of readdir itself
    }
  })
}

const DAY_MS = 24 * 3600_000
const AGED = { segmentBytes: 1e9, segmentMs: DAY_MS, keptSegments: 5, keptInstances: 5, keptMs: 7 * DAY_MS }

/** Backdates all files in the folder. */
function age(id: string, days: number): void {
  const then = new Date(Date.now() - days * DAY_MS)
  for (const name of readdirSync(join(dir, id))) utimesSync(join(dir, id, name), then, then)
}

test('a small file is rotated when its first line is a day old', async () => {
  const rotate = (id: string) => rotateWhenDue(logs, id, 'a', { limits: AGED })
  write('d', 'a', line(1, 'one'))
  expect(await rotate('d')).toBe(false)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1.1 * DAY_MS })
  expect(await rotate('d')).toBe(true)
  vi.useRealTimers()
  expect(await rotate('d')).toBe(false)
  write('d', 'a', line(2, 'two'))
  expect(await rotate('d')).toBe(false)
  age('d', 1.1)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1.1 * DAY_MS })
  expect(await rotate('d')).toBe(true)
  vi.useRealTimers()
  expect(readdirSync(join(dir, 'd')).sort()).toEqual(['a.1.log', 'a.2.log', 'a.log'])
  expect(await allMessages('d', 10)).toEqual(['one', 'two'])
})

test('files older than a week are removed, and a reader continues at its position', async () => {
  write('d', 'a', line(1, 'old'))
  await rotateWhenDue(logs, 'd', 'a', { limits: { ...AGED, segmentBytes: 1 } })
  write('d', 'ended', line(2, 'of an ended instance'))
  await logs.append('d', line(3, 'of the daemon'))
  const { nextToken } = await logs.page('d', { limit: 1 })
  age('d', 8)
  write('d', 'a', line(4, 'new'))
  await pruneLogs(logs, 'd', { limits: AGED, running: new Set(['a']) })
  expect(await allMessages('d', 10)).toEqual(['new'])
  const { lines } = await logs.page('d', { limit: 10, nextToken: nextToken! })
  expect(lines.map(entry => entry.message)).toEqual(['new'])
})

test('the file of a running instance without output is kept', async () => {
  write('d', 'a')
  age('d', 30)
  await pruneLogs(logs, 'd', { limits: AGED, running: new Set(['a']) })
  expect(readdirSync(join(dir, 'd'))).toEqual(['a.log'])
})

test('a process cannot write lines in the name of another instance', async () => {
  await write('d', 'a', { ...line(1, 'x'), instance: 'daemon' })
  expect((await logs.page('d', { limit: 10 })).lines).toMatchObject([{ instance: 'a', message: 'x' }])
})

test('full segments of an instance are removed when they exceed the byte limit', async () => {
  const limits = { segmentBytes: 10, keptSegments: 50, keptBytes: 600, keptInstances: 5 }
  for (let round = 0; round < 5; round++) {
    await write('d', 'a', line(round, `${round}${'x'.repeat(200)}`))
    await rotateWhenDue(logs, 'd', 'a', { limits })
  }
  const sizes = readdirSync(join(dir, 'd')).map(name => statSync(join(dir, 'd', name)).size)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(600)
  const { lines } = await logs.page('d', { limit: 10 })
  expect(lines.map(({ message }) => message[0])).toEqual(['3', '4'])
})

test.runIf(process.platform === 'linux')(
  'reading the tail of a log with giant raw lines reads less than half of the log',
  async () => {
    const giant = `${'x'.repeat(1_000_000)}\n`
    await write('d', 'a', line(1, 'old'))
    for (let round = 0; round < 40; round++) appendFileSync(join(dir, 'd', 'a.log'), giant)
    const before = bytesRead()
    const { lines } = await logs.page('d', { limit: 10, tail: 1 })
    expect(lines[0]?.message).toHaveLength(1_000_000)
    expect(bytesRead() - before).toBeLessThan(15_000_000)
  },
)

/** Bytes that this process has read from files and sockets. */
function bytesRead(): number {
  return Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))![1])
}
