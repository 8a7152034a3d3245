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

test('a section takes the place of the one of its title, and nothing else changes', () => {
  const changed = replaceSection(DOCUMENT, 'One', '### One\n\nnew one\n')
  expect(changed).toBe(DOCUMENT.replace('old one', 'new one'))
  expect(replaceSection(changed, 'Two', '### Two\n\nold two\n')).toBe(changed)
})

test('a section that was not there comes behind the last figures', () => {
  const changed = replaceSection(DOCUMENT, 'Three', '### Three\n\nnew\n')
  expect(changed).toBe(DOCUMENT.replace('old two\n', 'old two\n\n### Three\n\nnew\n'))
})

test('a figure beyond its limit is missed, one without a limit never', () => {
  const figures = [
    { name: 'memory', value: '81 MB', measured: 81, limit: { at: 'most', value: 80, unit: 'MB' } },
    { name: 'rate', value: '0.8×', measured: 0.8, limit: { at: 'least', value: 0.7, unit: '×' } },
    { name: 'raw', value: '9/s' },
  ] as const
  expect(missed([...figures]).map(({ name }) => name)).toEqual(['memory'])
  expect(formatSection('T', 'here', [...figures])).toContain('| memory | 81 MB | ≤ 80 MB | missed |')
})
