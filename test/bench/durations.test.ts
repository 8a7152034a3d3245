import { expect, test } from 'vitest'
import { durationFigure, measureDuration } from '../../bench/durations.ts'
import { formatSection, missed } from '../../bench/report.ts'

/** Rounds of work that takes 300 ms for every 33 ms of a bare start, on a machine whose bare start takes `bareMs`. */
const rounds = (bareMs: number, factor = 1) =>
  [0.9, 1, 1.5].map(noise => ({ ms: (300 / 33) * bareMs * noise * factor, bareMs }))

test.each([
  ['as fast as', 33],
  ['twice as fast as', 16.5],
  ['three times slower than', 99],
])('a duration at its limit passes on a machine %s the reference machine', (_, bareMs) => {
  const judge = (factor: number) => missed([durationFigure('build', rounds(bareMs, factor), 300)]).length
  expect(judge(0.999)).toBe(0)
  expect(judge(1.001)).toBe(1)
})

test('each duration is compared with the bare start of Node in the same round', () => {
  const slowPhase = { ms: 900, bareMs: 100 }
  const { measured } = durationFigure(
    'build',
    [slowPhase, { ms: 90, bareMs: 10 }, { ms: 450, bareMs: 50 }],
    300,
  )
  expect(measured).toBe(9)
})

test('a duration and its limit are shown in milliseconds and in bare starts', () => {
  const figures = [
    durationFigure('build', [{ ms: 329.84, bareMs: 40 }], 300),
    durationFigure('restart', [{ ms: 1634, bareMs: 40 }], 2000),
    durationFigure('start', [{ ms: 60, bareMs: 40 }]),
  ]
  expect(formatSection('T', 'here', figures)).toContain(`\
| build | 329.8 ms, 8.25× a bare start | ≤ 9.09 × (300 ms at 33 ms) | met |
| restart | 1.63 s, 40.85× a bare start | ≤ 60.61 × (2 s at 33 ms) | met |
| start | 60.0 ms, 1.50× a bare start |  |  |`)
})

test('bare starts are measured before the work and not counted as part of it', async () => {
  const began = performance.now()
  let startedAfter = 0
  const { ms, bareMs } = await measureDuration(async () => {
    startedAfter = performance.now() - began
  })
  expect(startedAfter).toBeGreaterThan(bareMs)
  expect(ms + bareMs).toBeLessThan(performance.now() - began)
})
