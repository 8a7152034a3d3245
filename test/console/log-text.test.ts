import { expect, test } from 'vitest'
import {
  detailsOf,
  type LogLine,
  outcomeText,
  rowText,
  withoutEscapes,
} from '../../src/console/components/log/log-text.ts'

function line(fields: Partial<LogLine>): LogLine {
  return {
    timestamp: '2026-11-23T08:00:00.123Z',
    stream: 'stdout',
    phase: 'RUN',
    message: '',
    server: 'weather',
    environment: 'production',
    deploymentId: 'dep_1',
    version: 1,
    ...fields,
  }
}

test.each([
  ['colours', '\x1b[31mred\x1b[0m text', 'red text'],
  ['cursor movements', '\x1b[2J\x1b[1;1Hhidden', 'hidden'],
  ['window titles', '\x1b]0;owned\x07shown', 'shown'],
  ['links', '\x1b]8;;http://evil.example\x1b\\label\x1b]8;;\x1b\\', 'label'],
  ['single sequences', '\x1bcreset', 'reset'],
])('removes %s from text', (_, text, plain) => {
  expect(withoutEscapes(text)).toBe(plain)
})

test('an unfinished escape sequence does not hide the text around it', () => {
  expect(rowText(line({ message: 'before \x1b[31' }))).toBe('before 31')
})

test('shows a multi-line message in one row', () => {
  expect(rowText(line({ message: 'first\n  second\nthird' }))).toBe('first ⏎ second ⏎ third')
})

test('replaces text direction overrides and truncates a long message', () => {
  expect(rowText(line({ message: 'a\u202egpj.exe' }))).toBe('a�gpj.exe')
  const long = rowText(line({ message: 'x'.repeat(5_000_000) }))
  expect(long.length).toBeLessThan(700)
})

test('shows outcome, reason and duration of a request', () => {
  expect(outcomeText(line({ outcome: 'ok', ms: 3.26 }))).toBe('ok, 3.3 ms')
  expect(outcomeText(line({ outcome: 'error', reason: '\x1b[1mno city', ms: 120 }))).toBe(
    'error: no city, 120 ms',
  )
  expect(outcomeText(line({}))).toBe('')
  expect(outcomeText(line({ outcome: 'error', status: 403 }))).toBe('')
})

test('lists the fields of a log line other than its message as text', () => {
  const details = Object.fromEntries(detailsOf(line({ tool: 'forecast', arguments: { city: 'Oslo' } })))
  expect(details).toMatchObject({ tool: 'forecast', arguments: '{\n  "city": "Oslo"\n}', version: '1' })
  expect(details).not.toHaveProperty('message')
})
