import { expect, test } from 'vitest'
import { LogBuffer } from '../../src/console/views/server/logs/log-buffer.ts'
import type { LogLine } from '../../src/console/views/server/logs/log-text.ts'
import { scrollToRow, visibleRows } from '../../src/console/views/server/logs/visible-rows.ts'

const line = (message: string) => ({ message }) as LogLine

/** A buffer whose frames the test runs. */
function createBuffer() {
  const frames: (() => void)[] = []
  return { buffer: new LogBuffer(flush => frames.push(flush)), frames }
}

test('shows lines that arrive together with one update', () => {
  const { buffer, frames } = createBuffer()
  for (const text of ['a', 'b', 'c']) buffer.add(line(text))
  expect([buffer.size.value, frames.length]).toEqual([0, 1])
  frames[0]!()
  expect(buffer.size.value).toBe(3)
  expect(buffer.slice(1, 3).map(({ message }) => message)).toEqual(['b', 'c'])
})

test('keeps the newest 100,000 lines and their numbers', () => {
  const { buffer, frames } = createBuffer()
  for (let number = 0; number < 100_001; number++) buffer.add(line(String(number)))
  frames[0]!()
  expect(buffer.size.value).toBe(100_001)
  expect(buffer.removed).toBe(10_001)
  expect(buffer.at(0)!.message).toBe('10001')
  expect(buffer.slice(0, 200_000)).toHaveLength(90_000)
})

test('only rows in sight and a few around them are shown', () => {
  expect(visibleRows({ scrollTop: 0, height: 600 }, 20, 100_000)).toEqual({ from: 0, to: 42 })
  expect(visibleRows({ scrollTop: 20_000, height: 600 }, 20, 100_000)).toEqual({ from: 988, to: 1042 })
  expect(visibleRows({ scrollTop: 20_000, height: 600 }, 20, 5)).toEqual({ from: 5, to: 5 })
})

test('scrolls only as far as needed to show a row', () => {
  const viewport = { scrollTop: 1000, height: 600 }
  expect(scrollToRow(60, viewport, 20)).toBe(1000)
  expect(scrollToRow(10, viewport, 20)).toBe(200)
  expect(scrollToRow(100, viewport, 20)).toBe(1420)
})
