import { expect, test } from 'vitest'
import { readEvents } from '../../../src/shared/api/event-stream.ts'

async function read(...chunks: (string | Uint8Array)[]): Promise<unknown[]> {
  async function* bytes() {
    for (const chunk of chunks) yield typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk
  }
  const events: unknown[] = []
  for await (const event of readEvents(bytes())) events.push(event)
  return events
}

test('yields the data of each event and skips comments and other fields', async () => {
  expect(await read(': keep-alive\n\nevent: line\nid: 1\ndata: {"a":1}\n\ndata:{"b":2}\n\n')).toEqual([
    { a: 1 },
    { b: 2 },
  ])
})

test('accepts events in pieces, on several lines, with CRLF line endings, and split within a character', async () => {
  const bytes = new TextEncoder().encode('data: {"a":\r\ndata: "é"}\r\n\r\n')
  const cut = bytes.indexOf(0xc3) + 1
  expect(await read(bytes.subarray(0, 3), bytes.subarray(3, cut), bytes.subarray(cut))).toEqual([{ a: 'é' }])
})

test('skips events without data', async () => {
  expect(await read('id: 1\ndata: \n\ndata: {"a":1}\n\n')).toEqual([{ a: 1 }])
})

test('accepts line endings that are split between chunks', async () => {
  expect(await read('data: 1\r', '\n\r', '\ndata: 2\r', '\rdata: 3\n', '\n')).toEqual([1, 2, 3])
})

test('joins a line that arrives in many chunks', async () => {
  const pieces = Array.from({ length: 1000 }, (_, index) => String(index % 10))
  expect(await read('data: "', ...pieces, '"\n\n')).toEqual([pieces.join('')])
})

test('ignores an incomplete event', async () => {
  expect(await read('data: {"a":1}\n')).toEqual([])
})
