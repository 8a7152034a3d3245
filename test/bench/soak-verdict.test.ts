import { expect, test } from 'vitest'
import { judge, judgeAll, type Series } from '../../bench/soak/verdict.ts'

const MINUTE = 60

test('a heap that grows and is collected is flat, however high its peaks', () => {
  const verdict = judgeHour(at => 80 + (at % 300) / 10)
  expect(verdict.isFlat).toBe(true)
  expect(Math.abs(verdict.growth)).toBeLessThan(3)
})

test('reports a leak below a sawtooth with its slope per hour', () => {
  const verdict = judgeHour(at => 80 + (at % 60) / 2 + (20 * at) / 3600)
  expect(verdict.isFlat).toBe(false)
  expect(verdict.slopePerHour).toBeCloseTo(20, 0)
})

test('a shrinking series is flat', () => {
  expect(judgeHour(at => 80 - at / 100).isFlat).toBe(true)
})

test('a briefly open descriptor is not growth', () => {
  const verdict = judgeHour(at => (at % 600 === 0 ? 90 : 40), { summary: 'median', mayGrow: 1 })
  expect(verdict.growth).toBe(0)
})

test('a series with too few points has no verdict', () => {
  expect(judge(series([{ at: 0, value: 1 }]), MINUTE)).toBeUndefined()
})

test('reports series too short to judge, except those of replaced processes', () => {
  const minutes = Array.from({ length: 10 }, (_, minute) => ({ at: minute * MINUTE, value: 40 }))
  const of = (name: string, count: number) => ({ ...series(minutes.slice(0, count)), name })
  const { verdicts, unjudged } = judgeAll([of('daemon', 2), of('daemon', 10), of('instance', 3)], MINUTE)
  expect(verdicts.map(({ name }) => name)).toEqual(['daemon'])
  expect(unjudged).toEqual(['instance'])
})

function judgeHour(valueAt: (at: number) => number, more: Partial<Series> = {}) {
  const points = Array.from({ length: 360 }, (_, i) => ({ at: i * 10, value: valueAt(i * 10) }))
  return judge({ ...series(points), ...more }, MINUTE)!
}

function series(points: Series['points']): Series {
  return { name: 'daemon', unit: 'MB', mayGrow: 8, summary: 'least', points }
}
