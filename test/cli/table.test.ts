import { expect, test } from 'vitest'
import { formatTable, printable, printableStyled } from '../../src/cli/table.ts'

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
  expect(
    printableStyled('\u001b[1mname\u001b[22m: \u001b]0;title\u0007\u001b[8mhidden\u001b[2J\r\nend'),
  ).toBe('\u001b[1mname\u001b[22m: �]0;title��[8mhidden�[2J\nend')
})

test('a cell is one line, whatever stands in it', () => {
  expect(formatTable(['A', 'B'], [['x', 'one\n  two']])).toEqual(['A  B', 'x  one two'])
})
