import { expect, test } from 'vitest'
import { LineReader } from '../../../../src/instance/bridge/process/line-reader.ts'

function read(chunks: (string | Buffer)[], maxBytes = 100) {
  const lines: string[] = []
  const long: [string, string, number][] = []
  const reader = new LineReader({
    maxBytes,
    onLine: line => lines.push(line),
    onLongLine: (...ends) => long.push(ends),
  })
  for (const chunk of chunks) reader.read(Buffer.from(chunk))
  reader.end()
  return { lines, long }
}

test('joins lines that were split at any point', () => {
  const text = 'one\ntwo\n\nthree and more\nlast'
  const whole = text.split('\n')
  expect(read([text]).lines).toEqual(whole)
  expect(read([...text]).lines).toEqual(whole)
})

test('decodes a multi-byte character that is split between two chunks', () => {
  const bytes = Buffer.from('{"a":"€😀"}\n')
  for (let cut = 1; cut < bytes.length; cut++)
    expect(read([bytes.subarray(0, cut), bytes.subarray(cut)]).lines).toEqual(['{"a":"€😀"}'])
})

test('keeps both ends of a line that is too long and continues with the next line', () => {
  const parts = Array.from(
    { length: 50 },
    (_, index) => `${String(index).padStart(4, '0')}${'x'.repeat(996)}`,
  )
  const { lines, long } = read([...parts, '"id":7}\nnext\n'], 5000)
  expect(lines).toEqual(['next'])
  expect(long).toHaveLength(1)
  const [start, end, bytes] = long[0]!
  expect(start).toMatch(/^0000x+$/)
  expect(end).toMatch(/x"id":7\}$/)
  expect(bytes).toBe(50_007)
})
