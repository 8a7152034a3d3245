import { expect, test } from 'vitest'
import { formatReply } from '../../../src/cli/output/reply-text.ts'

const days = Array.from({ length: 7 }, (_, day) => ({
  day,
  low_c: day - 9,
  high_c: day,
  condition: 'cloudy',
}))

test('formats long JSON over several lines after its title', () => {
  const [title, ...json] = formatReply(`forecast (Oslo): ${JSON.stringify({ days })}`).split('\n')
  expect(title).toBe('forecast (Oslo):')
  expect(Math.max(...json.map(line => line.length))).toBeLessThanOrEqual(80)
  expect(JSON.parse(json.join('\n'))).toEqual({ days })
})

test('keeps short JSON and prose unchanged', () => {
  const prose = `Use {braces} or [brackets] ${'in long sentences '.repeat(8)}`
  for (const reply of ['{"a":1}', prose, 'two\nlines']) expect(formatReply(reply)).toBe(reply)
})
