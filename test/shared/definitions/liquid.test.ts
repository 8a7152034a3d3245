import { afterEach, describe, expect, test, vi } from 'vitest'
import { createLiquid } from '../../../src/shared/definitions/liquid.ts'

afterEach(() => void vi.restoreAllMocks())

const liquid = createLiquid()
const render = (source: string, scope: object = {}) => liquid.parseAndRenderSync(source, scope)
const list = (count: number) => Array.from({ length: count }, (_, x) => ({ x }))

describe('a template that exceeds a limit is stopped', () => {
  const many = list(1_000_000)

  test.each([
    '{% for a in (1..100000) %}{% for b in (1..100000) %}{% endfor %}{% endfor %}',
    '{{ many | where: "x", 3 | size }}',
    '{{ many | where_exp: "i", "i.x > 3" | size }}',
    '{{ many | group_by_exp: "i", "i.x | times: 2" | size }}',
  ])('stops a template that exceeds the time limit: %s', source => {
    expect(() => render(source, { many })).toThrow('template render limit exceeded')
  })

  test.each([
    '{{ letters | split: "" | sort | size }}',
    '{{ letters | split: "" | sort_natural | size }}',
    '{{ (1..3000000) | join: "," | size }}',
    '{{ (1..9000000) | size }}',
    '{% assign t = "x" %}{% for i in (1..40) %}{% assign t = t | append: t %}{% endfor %}',
  ])('stops a template that exceeds the memory limit: %s', source => {
    expect(() => render(source, { letters: 'zyxabc'.repeat(100_000) })).toThrow('memory alloc limit exceeded')
  })
})

test('renders a table of a thousand sorted rows within the limits', () => {
  // Counts only the processor time of this thread, because other programs and garbage collector threads run at the same time.
  vi.spyOn(performance, 'now').mockImplementation(() => process.threadCpuUsage().user / 1000)
  const source =
    '{% assign sorted = rows | sort: "x" | reverse %}{% for row in sorted %}{{ row.x | round: 2 | escape }}\n{% endfor %}'
  const text = render(source, { rows: list(1000) })
  expect(text.split('\n').slice(0, 2)).toEqual(['999', '998'])
})

test('list filters return the same results as in plain Liquid', () => {
  const scope = { rows: list(4), words: ['b', 'A', 'c'] }
  const source =
    '{{ rows | where_exp: "r", "r.x > 1" | map: "x" | join: "+" }} {{ words | sort_natural | join }} {{ words | sort | first }} {{ rows | find: "x", 2 | json }} {{ rows | group_by_exp: "r", "r.x > 1" | map: "name" | join: "," }}'
  expect(render(source, scope)).toBe('2+3 A b c A {"x":2} false,true')
})
