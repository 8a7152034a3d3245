import { expect, test } from 'vitest'
import type { Style } from '../../src/cli/output.ts'
import { markedStyle, unstyled, written } from '../../src/cli/own-styles.ts'
import { formatTable, printable, printableJson } from '../../src/cli/table.ts'

test('columns are aligned, two spaces apart, without trailing ones', () => {
  expect(
    formatTable(
      ['A', 'LONG'],
      [
        ['first', 'x'],
        ['b', ''],
      ],
    ),
  ).toEqual(['A      LONG', 'first  x', 'b'])
})

test('in a terminal the widest column is cut until a line fits; elsewhere nothing is', () => {
  const rows = [['short', 'x'.repeat(100)]]
  const [, row] = formatTable(['A', 'B'], rows, 40)
  expect(row).toHaveLength(40)
  expect(row).toMatch(/x…$/)
  expect(formatTable(['A', 'B'], rows)[1]).toHaveLength(107)
})

test('control characters of names and log texts do not reach the terminal', () => {
  expect(printable('a\u001b[31mred\u0007\u009b2J')).toBe('a�[31mred��2J')
})

test('of what steers a terminal only the styles of our own lines are left', () => {
  const paint = (text: string) => `\u001b[1m${text}\u001b[22m`
  const style: Style = { bold: paint, dim: paint, red: paint, green: paint, yellow: paint, cyan: paint }
  const line = `${markedStyle(style).bold('name')}: \u001b]0;title\u0007\u001b[31mred\u001b[39m\u001b[2J\r\nend`
  expect(written(line)).toBe('\u001b[1mname\u001b[22m: �]0;title��[31mred�[39m�[2J\nend')
  expect(unstyled(line)).toBe('name: \u001b]0;title\u0007\u001b[31mred\u001b[39m\u001b[2J\r\nend')
})

test('text cannot change the direction of writing or hide, and right-to-left languages stay as they are', () => {
  expect(printable('a\u202egpj.exe\u2066x\u{e0041}')).toBe('a�gpj.exe�x�')
  expect(printable('שלום\u200f مرحبا')).toBe('שלום\u200f مرحبا')
})

test('JSON holds no character that steers a terminal, and says the same', () => {
  const value = { text: 'a\u202eb\u009bc\u{e0041}d', list: ['ä', '😀'] }
  const json = printableJson(JSON.stringify(value))
  expect(json).toBe('{"text":"a\\u202eb\\u009bc\\udb40\\udc41d","list":["ä","😀"]}')
  expect(JSON.parse(json)).toEqual(value)
})

test('a cell is one line, whatever stands in it', () => {
  expect(formatTable(['A', 'B'], [['x', 'one\n  two']])).toEqual(['A  B', 'x  one two'])
})
