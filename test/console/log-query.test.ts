import { beforeAll, describe, expect, test, vi } from 'vitest'
import { readFilters } from '../../src/console/components/filters/read-filters.ts'
import { isoTime, localTime, toTimeRange } from '../../src/console/components/filters/time-range.ts'
import { lineKey, lineMatcher, parseLineKey } from '../../src/console/components/log/line-key.ts'
import type { LogLine } from '../../src/console/components/log/log-text.ts'
import type * as logQuery from '../../src/console/views/server/logs/log-query.ts'

const NOW = Date.parse('2026-11-23T10:00:00.000Z')

const line = (fields: object = {}) =>
  ({
    stream: 'stdout',
    phase: 'RUN',
    message: '',
    timestamp: '2026-11-23T08:00:00.123Z',
    position: '2.4096',
    instance: 'inst_a',
    deploymentId: 'dep_b',
    ...fields,
  }) as LogLine

describe('filters of the log', () => {
  let module: typeof logQuery
  beforeAll(async () => {
    vi.stubGlobal('location', new URL('http://console.localhost/console/'))
    module = await import('../../src/console/views/server/logs/log-query.ts')
    return () => vi.unstubAllGlobals()
  })

  test('known query parameters of a log become API filters, and others are ignored', () => {
    const search = 'level=warn&text=oslo&tool=forecast&session=abc&request=7&instance=inst_a&since=1h&line=1'
    const filters = readFilters(new URLSearchParams(search), module.LOG_FILTERS)
    expect(module.toLogQuery(filters, 'production', NOW)).toEqual({
      environment: 'production',
      level: 'warn',
      grep: 'oslo',
      tool: 'forecast',
      sessionId: 'abc',
      requestId: '7',
      instance: 'inst_a',
      since: '2026-11-23T09:00:00.000Z',
    })
  })

  test('a field of a log line becomes a filter, and a request id is combined with its session', () => {
    const request = line({ requestId: '7', sessionId: 'abc' })
    expect(module.logFieldFilter('requestId', request)).toEqual({ request: '7', session: 'abc' })
    expect(module.logFieldFilter('requestId', line({ requestId: '7' }))).toEqual({ request: '7' })
    expect(module.logFieldFilter('instance', request)).toEqual({ instance: 'inst_a' })
    expect(module.logFieldFilter('ms', request)).toBeUndefined()
    expect(module.logFieldFilter('tool', line({ tool: { name: 1 } }))).toBeUndefined()
  })
})

test('a time range is a period before now or two times, and invalid times are ignored', () => {
  expect(toTimeRange({ since: '15m' }, NOW)).toEqual({ since: '2026-11-23T09:45:00.000Z' })
  const range = { since: '2026-11-23T08:00:00+01:00', until: '2026-11-23T09:00:00Z' }
  expect(toTimeRange(range)).toEqual({
    since: '2026-11-23T07:00:00.000Z',
    until: '2026-11-23T09:00:00.000Z',
  })
  expect(toTimeRange({ since: 'never', until: '' })).toEqual({})
})

test('a time field shows local time, and its value is stored in UTC', () => {
  const time = '2026-11-23T08:30:00.000Z'
  expect(localTime(time)).toMatch(/^2026-11-2\dT\d\d:\d\d$/)
  expect(isoTime(localTime(time))).toBe(time)
  expect(localTime('never')).toBe('')
})

test('a key contains the time of a line, and identifies it by position, instance and deployment', () => {
  const key = lineKey(line(), 5)
  expect(key).toBe('1795420800123.2.4096.inst_a.dep_b')
  const parsed = parseLineKey(key)!
  expect(parsed.timeMs).toBe(Date.parse('2026-11-23T08:00:00.123Z'))
  const matches = lineMatcher(parsed)
  expect(matches(line())).toBe(true)
  expect(matches(line({ timestamp: '2026-11-23T08:00:00.124Z' }))).toBe(true)
  for (const other of [{ position: '2.4097' }, { instance: 'inst_b' }, { deploymentId: 'dep_c' }])
    expect(matches(line(other))).toBe(false)
})

test('a line without a position has its row number as key, and parseLineKey accepts neither row numbers nor malformed text', () => {
  expect(lineKey(line({ position: undefined }), 12)).toBe('12')
  for (const text of ['12', '', 'NaN.2.4096.inst_a.dep_b', '1.2.3', `1.2.3.${'<b>'}.dep_b`])
    expect(parseLineKey(text), text).toBeUndefined()
})
