import { expect, test } from 'vitest'
import { RowBuffer } from '../../src/console/components/rows/row-buffer.ts'
import {
  nextPosition,
  scrollToCentre,
  scrollToRow,
  visibleRows,
} from '../../src/console/components/rows/visible-rows.ts'

/** A buffer whose frames the test runs. */
function createBuffer(capacity: number) {
  const frames: (() => void)[] = []
  return { buffer: new RowBuffer<string>(capacity, flush => frames.push(flush)), frames }
}

const rowsOf = (buffer: RowBuffer<string>) =>
  Array.from({ length: buffer.count }, (_, index) => buffer.at(buffer.first + index))

test('shows rows that arrive together with one update', () => {
  const { buffer, frames } = createBuffer(100)
  for (const text of ['a', 'b', 'c']) buffer.add(text)
  expect([buffer.version.value, buffer.count, frames.length]).toEqual([0, 0, 1])
  frames[0]!()
  expect(buffer.version.value).toBe(1)
  expect(rowsOf(buffer)).toEqual(['a', 'b', 'c'])
})

test('keeps the newest rows and their numbers', () => {
  const { buffer, frames } = createBuffer(1000)
  for (let number = 0; number < 1001; number++) buffer.add(String(number))
  frames[0]!()
  expect([buffer.first, buffer.count]).toEqual([101, 900])
  expect([buffer.at(100), buffer.at(101), buffer.at(1000)]).toEqual([undefined, '101', '1000'])
})

test('older rows get negative numbers, and are added only while there is room', () => {
  const { buffer, frames } = createBuffer(10)
  for (const text of ['x', 'y']) buffer.add(text)
  frames[0]!()
  buffer.addOlder(['c', 'b', 'a'])
  expect(rowsOf(buffer)).toEqual(['a', 'b', 'c', 'x', 'y'])
  expect([buffer.at(-1), buffer.at(0)]).toEqual(['c', 'x'])
  expect([buffer.numberOf(row => row === 'b'), buffer.numberOf(row => row === 'z')]).toEqual([-2, undefined])
  buffer.addOlder(Array.from({ length: 20 }, (_, index) => String(index)))
  expect([buffer.first, buffer.count, buffer.at(-8)]).toEqual([-8, 10, '4'])
})

test('only visible rows and a few around them are rendered', () => {
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

test('a row that a URL names is shown in the middle', () => {
  expect(scrollToCentre(50, 620, 20)).toBe(700)
  expect(scrollToCentre(3, 600, 20)).toBe(0)
})

test('the first key press selects the newest row, and later ones move within the list', () => {
  const last = { count: 50, newest: 'last' } as const
  const first = { count: 50, newest: 'first' } as const
  expect(nextPosition('ArrowDown', undefined, last)).toBe(49)
  expect(nextPosition('ArrowDown', undefined, first)).toBe(0)
  expect(nextPosition('PageDown', 10, first)).toBe(30)
  expect(nextPosition('ArrowUp', 0, first)).toBe(0)
  expect(nextPosition('End', 0, first)).toBe(49)
  expect(nextPosition('a', 0, first)).toBeUndefined()
  expect(nextPosition('Home', undefined, { count: 0, newest: 'last' })).toBeUndefined()
})
