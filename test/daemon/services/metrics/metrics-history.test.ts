import { describe, expect, test } from 'vitest'
import { toHistory, toRange } from '../../../../src/daemon/services/metrics/metrics-history.ts'
import { RequestTally } from '../../../../src/shared/instances/request-tally.ts'

const NOW = '2026-11-21T12:34:56.000Z'

function minute(at: string, tool: string, ...latenciesMs: number[]) {
  const tally = new RequestTally()
  for (const ms of latenciesMs) tally.record(ms, ms > 100)
  return { minute: Date.parse(at) / 60_000, method: 'tools/call', tool, ...tally.counts() }
}

describe('toRange', () => {
  test('toRange defaults to the last hour in one-minute steps', () => {
    const { since, until, step } = toRange({}, NOW)
    expect(new Date(since * 60_000).toISOString()).toBe('2026-11-21T11:34:00.000Z')
    expect([until - since, step]).toEqual([61, 1])
  })

  test('toRange chooses a step for at most 60 points, each of which starts at a multiple of the step', () => {
    const { since, step } = toRange({ since: '2026-11-14T12:34:56Z' }, NOW)
    expect(step).toBe(180)
    expect(since % 180).toBe(0)
    expect(toRange({ since: '2026-11-21T07:00:00Z' }, NOW).step).toBe(15)
    expect(toRange({ stepSeconds: 1800 }, NOW).step).toBe(30)
  })

  test('toRange rejects an invalid period and one with too many points', () => {
    expect(() => toRange({ since: NOW, until: NOW }, NOW)).toThrow('must be before until')
    expect(() => toRange({ since: '2026-01-01T00:00:00Z', stepSeconds: 60 }, NOW)).toThrow('more than 10080')
  })
})

test('sums up requests per minute by step, by tool and in total', () => {
  const range = toRange({ since: '2026-11-21T12:00:00Z', stepSeconds: 600 }, NOW)
  const history = toHistory('dep_a', range, [
    minute('2026-11-21T12:03:00Z', 'add', 10, 10),
    minute('2026-11-21T12:07:00Z', 'add', 10, 500),
    minute('2026-11-21T12:07:00Z', 'subtract', 10),
    minute('2026-11-21T12:33:00Z', 'add', 10),
  ])
  expect(history).toMatchObject({ id: 'dep_a', stepSeconds: 600, requests: { total: 6, errors: 1 } })
  expect(
    history.points.map(({ timestamp, total, errors }) => [timestamp.slice(11, 16), total, errors]),
  ).toEqual([
    ['12:00', 5, 1],
    ['12:10', 0, 0],
    ['12:20', 0, 0],
    ['12:30', 1, 0],
  ])
  expect(history.tools.map(({ tool, total }) => [tool, total])).toEqual([
    ['add', 5],
    ['subtract', 1],
  ])
  expect(history.points[0]!.p99Ms).toBeGreaterThan(480)
})
