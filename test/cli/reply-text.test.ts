import { expect, test } from 'vitest'
import { layOutReply } from '../../src/cli/reply-text.ts'

const days = Array.from({ length: 7 }, (_, day) => ({
  day,
  low_c: day - 9,
  high_c: day,
  condition: 'cloudy',
}))

test('lays long JSON out over lines of a terminal, after its title, and changes nothing in it', () => {
  const [title, ...json] = layOutReply(`forecast (Oslo): ${JSON.stringify({ days })}`).split('\n')
  expect(title).toBe('forecast (Oslo):')
  expect(Math.max(...json.map(line => line.length))).toBeLessThanOrEqual(80)
  expect(JSON.parse(json.join('\n'))).toEqual({ days })
})

test('leaves short JSON and prose as they are', () => {
  const prose = `Use {braces} or [brackets] ${'in long sentences '.repeat(8)}`
  for (const reply of ['{"a":1}', prose, 'two\nlines']) expect(layOutReply(reply)).toBe(reply)
})
