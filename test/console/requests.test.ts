import { expect, test } from 'vitest'
import { readFilters } from '../../src/console/components/filters/read-filters.ts'
import {
  REQUEST_FILTERS,
  streamStart,
  toQuery,
} from '../../src/console/views/server/requests/request-query.ts'
import { sameAnswer } from '../../src/console/views/server/requests/same-answer.ts'

const NOW = Date.parse('2026-11-23T10:00:00.000Z')

test('known query parameters become API filters, and others are ignored', () => {
  const filters = readFilters(
    new URLSearchParams('env=production&outcome=failed&text=oslo&session=abc&since=1h&tool=&request=req_1'),
    REQUEST_FILTERS,
  )
  expect(toQuery(filters, 'weather', 'production', NOW)).toEqual({
    server: 'weather',
    environment: 'production',
    outcome: 'failed',
    grep: 'oslo',
    sessionId: 'abc',
    kind: 'call',
    since: '2026-11-23T09:00:00.000Z',
  })
})

test('only calls are requested, unless the query asks for all requests or another method', () => {
  const kind = (filters: object) => toQuery(filters, 'weather', 'production').kind
  expect(kind({})).toBe('call')
  expect(kind({ show: 'all' })).toBeUndefined()
  expect(kind({ method: 'initialize' })).toBeUndefined()
})

test('the stream starts shortly before the newest known record, but not before the requested start', () => {
  expect(streamStart('2026-11-23T10:00:00.000Z', undefined)).toBe('2026-11-23T09:59:55.000Z')
  expect(streamStart('2026-11-23T10:00:00.000Z', '2026-11-23T09:59:58.000Z')).toBe('2026-11-23T09:59:58.000Z')
  expect(streamStart(undefined, '2026-11-23T09:00:00.000Z')).toBe('2026-11-23T09:00:00.000Z')
  expect(Date.parse(streamStart(undefined, undefined))).toBeLessThan(NOW)
})

test('answers are equal regardless of member order and metadata', () => {
  const recorded = {
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: 'a' }], _meta: { ms: 1 } },
  }
  expect(sameAnswer(recorded, { content: [{ text: 'a', type: 'text' }] })).toBe(true)
  expect(sameAnswer(recorded, { content: [{ type: 'text', text: 'b' }] })).toBe(false)
})

test('an incomplete recorded answer is not compared', () => {
  expect(sameAnswer(undefined, { content: [] })).toBeUndefined()
  expect(sameAnswer('{"result": … (20 more characters)', { content: [] })).toBeUndefined()
})
