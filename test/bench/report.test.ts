import { expect, test } from 'vitest'
import { formatSection, missed, replaceSection } from '../../bench/report.ts'

const DOCUMENT = `# Performance

## Figures

Written by a program.

### One

old one

### Two

old two

## How it is measured

### One

not a figure
`

test('replaceSection replaces the section with the same title and nothing else', () => {
  const changed = replaceSection(DOCUMENT, 'One', '### One\n\nnew one\n')
  expect(changed).toBe(DOCUMENT.replace('old one', 'new one'))
  expect(replaceSection(changed, 'Two', '### Two\n\nold two\n')).toBe(changed)
})

test('replaceSection adds a new section after the last figures', () => {
  const changed = replaceSection(DOCUMENT, 'Three', '### Three\n\nnew\n')
  expect(changed).toBe(DOCUMENT.replace('old two\n', 'old two\n\n### Three\n\nnew\n'))
})

test('a figure misses its limit above a maximum or below a minimum, and never without a limit', () => {
  const figures = [
    { name: 'memory', value: '81 MB', measured: 81, limit: { at: 'most', value: 80, unit: 'MB' } },
    { name: 'rate', value: '0.8×', measured: 0.8, limit: { at: 'least', value: 0.7, unit: '×' } },
    { name: 'slow', value: '0.6×', measured: 0.6, limit: { at: 'least', value: 0.7, unit: '×' } },
    { name: 'raw', value: '9/s' },
  ] as const
  expect(missed([...figures]).map(({ name }) => name)).toEqual(['memory', 'slow'])
  expect(formatSection('T', 'here', [...figures])).toContain('| memory | 81 MB | ≤ 80 MB | missed |')
})
