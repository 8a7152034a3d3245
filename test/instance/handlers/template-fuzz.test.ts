import { expect, test } from 'vitest'
import { callTool, textOf } from '../../helpers/instance/prepared.ts'

const PIECES = [
  '{{ a }}',
  '{{ a.b.c | upcase }}',
  '{{ list[a] | join: b | append: args }}',
  '{% for x in list %}{{ forloop.index }}{{ x }}{% endfor %}',
  '{% for x in a limit: b %}{{ x[0] }}{% else %}-{% endfor %}',
  '{% if a > b and list contains a %}y{% endif %}',
  '{% assign a = list | sort | reverse | first %}',
  '{% case a %}{% when 1, "x" %}one{% else %}{{ a | json }}{% endcase %}',
  '{{ b | divided_by: a | round: b }}',
  '{{ a | date: "%Y" }}{{ b | slice: a, 3 }}{{ list | slice: a }}',
  '{{ list | map: a | where: b, a | uniq | size }}',
  '{{ a | times: b | truncate: b | url_encode }}',
  '{% tablerow x in list cols: a %}{{ x }}{% endtablerow %}',
  '{% cycle a, b %}{% increment a %}{{ empty }}{{ blank }}',
]
const VALUES = [
  undefined,
  null,
  true,
  0,
  -1,
  1e308,
  'x',
  '',
  '%',
  '\u0000\ud800',
  [],
  [null, [1, 'b'], { c: 1 }],
  {},
  { b: { c: 'd' } },
  JSON.parse('{"__proto__": {"x": 1}, "constructor": 1, "length": -1, "size": "s"}'),
]

test('a tool answers with text or a tool error for random values and templates', async () => {
  let state = 42
  // Deterministic random numbers (Lehmer), so that failures can be repeated.
  const pick = <T>(from: readonly T[]): T => {
    state = (state * 48_271) % 2_147_483_647
    return from[state % from.length]!
  }
  for (let round = 0; round < 300; round++) {
    const text = Array.from({ length: 4 }, () => pick(PIECES)).join(' ')
    const args = { a: pick(VALUES), b: pick(VALUES), list: pick(VALUES) }
    const result = await callTool({ handler: { type: 'template', text } }, args)
    expect(typeof textOf(result), text).toBe('string')
    expect(() => JSON.stringify(result)).not.toThrow()
  }
})
