import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LogWriter } from '../../../src/instance/log/log-writer.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-log-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const create = (path: string) => new LogWriter(path, (count, reason) => `lost ${count} (${reason})`)

describe('log writer', () => {
  test('appends lines in order, shortly after they are written', async () => {
    const path = join(folder, 'deep', 'x.log')
    const writer = create(path)
    for (let index = 0; index < 1000; index++) writer.write(String(index))
    const lines = () => readFileSync(path, 'utf8').trim().split('\n')
    await expect.poll(lines).toEqual(Array.from({ length: 1000 }, (_, index) => String(index)))
    await writer.close()
  })

  test('a held log writer writes nothing until it is resumed, and then every line', async () => {
    const path = join(folder, 'x.log')
    const writer = create(path)
    writer.write('a')
    await writer.hold()
    writer.write('b')
    writer.flushNow()
    expect(existsSync(path)).toBe(false)
    writeFileSync(path, '')
    writer.resume()
    await writer.close()
    expect(readFileSync(path, 'utf8')).toBe('a\nb\n')
  })

  test('continues at the original path after the log file is renamed', async () => {
    const path = join(folder, 'x.log')
    const writer = create(path)
    writer.write('a')
    await expect.poll(() => readFileSync(path, 'utf8')).toBe('a\n')
    renameSync(path, `${path}.1`)
    writer.write('b')
    await writer.close()
    expect(readFileSync(path, 'utf8')).toBe('b\n')
  })

  test('drops lines above the limit while the log is held, and reports their number', async () => {
    const path = join(folder, 'x.log')
    const writer = create(path)
    await writer.hold()
    const line = 'x'.repeat(1023)
    for (let index = 0; index < 1100; index++) writer.write(line)
    await writer.close()
    const lines = readFileSync(path, 'utf8').trim().split('\n')
    expect(lines.at(-1)).toMatch(/^lost \d+ \(too many at once\)$/)
    expect(lines.length - 1 + Number(lines.at(-1)!.match(/\d+/)![0])).toBe(1100)
  })
})
