import { expect, test } from 'vitest'
import { CrashHistory } from '../../../src/shared/instances/crash-history.ts'

test('five starts within a minute without a ready instance are a crash loop', () => {
  const history = new CrashHistory()
  const verdicts = [0, 10_000, 20_000, 30_000, 40_000].map(at => history.add(neverReady(at)).isLoop)
  expect(verdicts).toEqual([false, false, false, false, true])
})

test('the same failures over more than a minute are not a crash loop', () => {
  const history = new CrashHistory()
  const verdicts = [0, 20_000, 40_000, 60_000, 80_000, 100_000].map(at => history.add(neverReady(at)).isLoop)
  expect(verdicts).not.toContain(true)
})

test('an instance that worked for a second resets the crash loop, but not the back-off', () => {
  const history = new CrashHistory()
  for (const at of [0, 100, 200, 300]) history.add(neverReady(at))
  expect(history.add({ at: 2000, readyAt: 500, signal: null })).toEqual({ failuresInARow: 5, isLoop: false })
  expect(history.unhealthy).toBe(0)
})

test('exiting right after becoming ready counts towards a crash loop, but being killed from outside does not', () => {
  const own = new CrashHistory()
  const killed = new CrashHistory()
  for (const at of [0, 100, 200, 300, 400, 500]) {
    own.add({ at, readyAt: at - 10, signal: 'SIGABRT' })
    killed.add({ at, readyAt: at - 10, signal: 'SIGKILL' })
  }
  expect(own.add(neverReady(600)).isLoop).toBe(true)
  expect(killed.add(neverReady(600))).toEqual({ failuresInARow: 2, isLoop: false })
})

test('a crash after ten seconds of work resets the back-off', () => {
  const history = new CrashHistory()
  for (const at of [0, 100, 200]) history.add(neverReady(at))
  expect(history.add({ at: 11_000, readyAt: 1000, signal: null }).failuresInARow).toBe(1)
})

function neverReady(at: number) {
  return { at, readyAt: undefined, signal: null }
}
