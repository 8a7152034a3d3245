import { describe, expect, test } from 'vitest'
import { axisLabels, timeLabel } from '../../src/console/components/chart/time-labels.ts'
import { isolatedPoints, marksAt } from '../../src/console/components/chart/time-series.ts'
import { rateUnit, toSeries } from '../../src/console/views/server/traffic/measures.ts'
import { formatRate } from '../../src/shared/format/metric-format.ts'

const at = (...time: [day: number, hour: number, minute?: number]) =>
  new Date(2026, 10, ...time).getTime() / 1000

const NONE = { total: 0, errors: 0, errorRate: 0, p50Ms: 0, p99Ms: 0 }

describe('charts', () => {
  test('an axis shows the time of day, or the date at midnight and for steps of days', () => {
    expect(axisLabels([at(22, 18), at(23, 0), at(23, 6, 30)], 3600)).toEqual(['18:00', 'Mon 23', '06:30'])
    expect(axisLabels([at(21, 1), at(23, 1)], 172_800)).toEqual(['Sat 21', 'Mon 23'])
    expect(timeLabel(at(23, 14, 5))).toBe('Mon 23, 14:05')
  })

  test('only values without a neighbour get a point', () => {
    expect(isolatedPoints([1, null, 2, 3, null, 0])).toEqual([0, 5])
    expect(isolatedPoints([])).toEqual([])
  })

  test('a mark belongs to the step that contains it', () => {
    const marks = [
      { time: 60, label: 'v1' },
      { time: 119, label: 'v2' },
      { time: 120, label: 'v3' },
    ]
    const series = { stepSeconds: 60, times: [60, 120], measures: [], marks }
    expect([60, 120].map(time => marksAt(series, time))).toEqual(['v1, v2', 'v3'])
  })
})

describe('traffic', () => {
  test('rates have the shortest unit in which they are at least one, or otherwise hours', () => {
    expect([12, 1, 0.5, 0.01, 0.0001, 0].map(rate => rateUnit(rate).name)).toEqual([
      's',
      's',
      'min',
      'h',
      'h',
      'h',
    ])
    expect([0, 0.04, 2.5, 1234].map(formatRate)).toEqual(['0', '0.04', '2.5', '1,234'])
  })

  test('the rate of the last step counts only the time that has passed, and steps without requests have no error rate and no duration', () => {
    const time = (minute: number) => new Date(minute * 60_000).toISOString()
    const busy = { total: 900, errors: 90, errorRate: 0.1, p50Ms: 1, p99Ms: 5 }
    const series = toSeries({
      environment: 'production',
      since: time(0),
      until: time(35),
      stepSeconds: 900,
      requests: { ...busy, total: 1800 },
      points: [
        { timestamp: time(0), ...busy },
        { timestamp: time(15), ...NONE },
        { timestamp: time(30), ...busy },
      ],
      tools: [],
      releases: [{ version: 3, timestamp: time(16) }],
    })
    const [requests, errors, p99] = series.measures
    expect(requests!.values).toEqual([1, 0, 3])
    expect(requests!.values.map(value => requests!.format(value!))).toEqual(['1.0/s', '0/s', '3.0/s'])
    expect([errors!.values, p99!.values]).toEqual([
      [0.1, null, 0.1],
      [5, null, 5],
    ])
    expect(marksAt(series, series.times[1]!)).toBe('v3')
  })
})
