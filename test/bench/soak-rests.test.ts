import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { BenchDaemon } from '../../bench/daemon.ts'
import { Rests } from '../../bench/soak/rests.ts'
import { Samples } from '../../bench/soak/samples.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('clients send no request until every process has been sampled', async () => {
  const rests = new Rests(1440, 3600)
  const seen: string[] = []
  const rest = rests.restWhenDue(1440, async () => void seen.push('looked'))
  const client = rests.over!.then(() => seen.push('began'))
  await vi.advanceTimersByTimeAsync(74_000)
  expect(seen).toEqual([])
  await vi.advanceTimersByTimeAsync(1000)
  await Promise.all([rest, client])
  expect(seen).toEqual(['looked', 'began'])
  expect(rests.over).toBeUndefined()
  expect(rests.seconds).toBe(75)
})

test('clients rest six times between the start and the end of the judged period', async () => {
  const rests = new Rests(1440, 3600)
  const at: number[] = []
  for (let elapsed = 0; elapsed <= 3600; elapsed += 10) {
    const rest = rests.restWhenDue(elapsed, async () => void at.push(elapsed))
    await vi.advanceTimersByTimeAsync(75_000)
    await rest
  }
  expect(at).toEqual([1440, 1880, 2310, 2740, 3170, 3600])
})

test('a short run has no rests', async () => {
  const rests = new Rests(48, 120)
  await rests.restWhenDue(120, () => Promise.reject(new Error('it rested')))
  expect(rests.seconds).toBe(0)
})

test('memory is judged by samples at rest if there are any, with a lower limit than under load', async () => {
  const samples = samplesOfThisProcess()
  await samples.take(10)
  const limitOf = (unit: string) => samples.seriesFrom(0).find(series => series.unit === unit)!.mayGrow
  expect(limitOf('MB')).toBe(24)
  await samples.takeAtRest(20)
  await samples.take(30)
  expect(limitOf('MB')).toBe(8)
  const ats = samples.seriesFrom(15).map(({ unit, points }) => [unit, ...points.map(({ at }) => at)])
  expect(ats).toEqual([
    ['MB', 20],
    ['MB', 20],
    ['', 30],
    ['', 30],
  ])
})

function samplesOfThisProcess(): Samples {
  const call = () => Promise.resolve({ items: [], next_cursor: null })
  return new Samples({ pid: process.pid, call } as unknown as BenchDaemon, [])
}
