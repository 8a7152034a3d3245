import { expect, test } from 'vitest'
import { formatLogLine } from '../../../src/cli/output/log-lines.ts'
import type { Style } from '../../../src/cli/output/style.ts'
import { markStyle, toTerminalText, withoutStyle } from '../../../src/cli/output/style.ts'
import { formatTable } from '../../../src/cli/output/table.ts'
import { toRows } from '../../../src/cli/pickers/pick.ts'
import { printable, printableJson } from '../../../src/shared/format/printable.ts'

test('columns are aligned, two spaces apart, without trailing spaces', () => {
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

test('long text is wrapped in its column only for a terminal', () => {
  const rows = [['greet', 'Greets a person by name in the language of the place']]
  expect(formatTable(['TOOL', 'DESCRIPTION'], rows, 40)).toEqual([
    'TOOL   DESCRIPTION',
    'greet  Greets a person by name in the',
    '       language of the place',
  ])
  expect(formatTable(['TOOL', 'DESCRIPTION'], rows)[1]).toHaveLength(59)
})

test('columns that do not fit are printed whole below their row, with their headers', () => {
  const url = 'http://weather.localhost:6280/mcp'
  const rows = [
    ['weather', 'production', '3 min', url],
    ['dice', 'development', '', ''],
  ]
  const headers = ['SERVER', 'WHERE', 'AGE', 'URL']
  expect(formatTable(headers, rows, 40)).toEqual([
    'SERVER   WHERE        AGE',
    'weather  production   3 min',
    `  URL  ${url}`,
    'dice     development',
  ])
  expect(formatTable(headers, rows, 24).slice(0, 4)).toEqual([
    'SERVER   WHERE',
    'weather  production',
    '  AGE  3 min',
    `  URL  ${url}`,
  ])
  expect(formatTable(headers, [['a'.repeat(25), 'development', '3 min', url]], 38).slice(1)).toEqual([
    `${'a'.repeat(25)}  development`,
    '  AGE  3 min',
    '  URL',
    `    ${url}`,
  ])
})

test('a word longer than its column moves the columns after it below the row', () => {
  const value = '{"url":"https://example.com/guide","title":"Guide to gardens"}'
  expect(formatTable(['KEY', 'VALUE', 'EXPIRES'], [['one', value, 'never']], 60)).toEqual([
    'KEY  VALUE',
    'one  {"url":"https://example.com/guide","title":"Guide',
    '     to gardens"}',
    '  EXPIRES  never',
  ])
})

test('replaces control characters in names and log messages', () => {
  expect(printable('a\u001b[31mred\u0007\u009b2J')).toBe('a�[31mred��2J')
})

test('styles of the CLI reach a terminal, and other escape sequences do not', () => {
  const paint = (text: string) => `\u001b[1m${text}\u001b[22m`
  const style: Style = { bold: paint, dim: paint, red: paint, green: paint, yellow: paint, cyan: paint }
  const line = `${markStyle(style).bold('name')}: \u001b]0;title\u0007\u001b[31mred\u001b[39m\u001b[2J\r\nend`
  expect(toTerminalText(line)).toBe('\u001b[1mname\u001b[22m: �]0;title��[31mred�[39m�[2J\nend')
  expect(withoutStyle(line)).toBe('name: \u001b]0;title\u0007\u001b[31mred\u001b[39m\u001b[2J\r\nend')
})

test('replaces direction overrides and invisible characters, and keeps right-to-left languages', () => {
  expect(printable('a\u202egpj.exe\u2066x\u{e0041}')).toBe('a�gpj.exe�x�')
  expect(printable('שלום\u200f مرحبا')).toBe('שלום\u200f مرحبا')
})

test.each([
  ['zero-width spaces and joiners', 's\u200ba\u200cy\u200d', 's�a�y�'],
  ['direction marks', '\u200eone\u200f two\u061c', '�one� two�'],
  ['word joiners and byte order marks', '\ufeffsa\u2060y', '�sa�y'],
  ['variation selectors and soft hyphens', 'say\ufe0f ex\u00adport', 'say� ex�port'],
])('replaces %s next to Latin letters, because names that differ would look the same', (_, text, shown) => {
  expect(printable(text)).toBe(shown)
})

test.each([
  ['Persian', 'می\u200cخواهم'],
  ['Hindi', 'क्\u200dष'],
  ['Thai', 'ภาษา\u200bไทย'],
  ['emoji', '👩🏽\u200d💻 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3'],
])('keeps invisible characters that %s needs', (_, text) => {
  expect(printable(text)).toBe(text)
})

test('JSON escapes control characters and keeps its value', () => {
  const value = { text: 'a\u202eb\u009bc\u{e0041}d', list: ['ä', '😀'] }
  const json = printableJson(JSON.stringify(value))
  expect(json).toBe('{"text":"a\\u202eb\\u009bc\\udb40\\udc41d","list":["ä","😀"]}')
  expect(JSON.parse(json)).toEqual(value)
})

test('a line break in a cell becomes a space', () => {
  expect(formatTable(['A', 'B'], [['x', 'one\n  two']])).toEqual(['A  B', 'x  one two'])
})

test('tool names in a list are kept but cannot control the terminal', () => {
  const value = 'a\u001b]0;title\u0007'
  expect(toRows([{ value, doc: 'b\u202ec' }])).toEqual([
    expect.objectContaining({ value, short: 'a�]0;title�', name: '1  a�]0;title�  b�c' }),
  ])
})

test('a line break in a log message cannot start what looks like another log line', () => {
  const same = (text: string) => text
  const style: Style = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same }
  const forged = '2026-11-21 08:00:00.124 error server instance inst_a was killed'
  const line = { timestamp: '2026-11-21T08:00:00.123Z', level: 'info' as const, message: `up\n${forged}` }
  expect(formatLogLine(line, style)).toBe(`2026-11-21 08:00:00.123 info  up\n    ${forged}`)
})
