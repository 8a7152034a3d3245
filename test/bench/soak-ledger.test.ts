import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Ledger } from '../../bench/soak/ledger.ts'

const fails = () => Promise.reject(new Error('connection reset'))

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('a failed request without a fault is unexpected', async () => {
  const ledger = new Ledger()
  await ledger.attempt('echo', fails)
  expect(ledger).toMatchObject({ unexpectedCount: 1, answered: 0 })
  expect(ledger.unexpected[0]).toMatchObject({ subject: 'echo', message: 'request: connection reset' })
})

test('a fault excuses only pending requests to the affected server', async () => {
  const ledger = new Ledger()
  const { promise, reject } = Promise.withResolvers<never>()
  const requests = [ledger.attempt('hit', () => promise), ledger.attempt('other', () => promise)]
  ledger.beginFault('SIGKILL', ['hit'])()
  reject(new Error('connection reset'))
  await Promise.all(requests)
  expect(ledger.excused).toEqual(new Map([['SIGKILL', 1]]))
  expect(ledger.unexpected.map(({ subject }) => subject)).toEqual(['other'])
})

test('a request sent after a fault must be answered', async () => {
  const ledger = new Ledger()
  ledger.beginFault('SIGKILL', ['hit'])()
  vi.advanceTimersByTime(1000)
  await ledger.attempt('hit', fails)
  expect(ledger.unexpectedCount).toBe(1)
})

test('a fault that affects all servers excuses their failed requests until it ends', async () => {
  const ledger = new Ledger()
  const over = ledger.beginFault('restart')
  await ledger.attempt('any', fails)
  over()
  vi.advanceTimersByTime(1000)
  await ledger.attempt('any', fails)
  expect(ledger.excused.get('restart')).toBe(1)
  expect(ledger.unexpectedCount).toBe(1)
})
