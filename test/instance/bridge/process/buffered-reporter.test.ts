import { afterEach, expect, test, vi } from 'vitest'
import { BufferedReporter } from '../../../../src/instance/bridge/process/buffered-reporter.ts'
import type { ServerReporter } from '../../../../src/instance/server/prepared-server.ts'

afterEach(() => void vi.useRealTimers())

test('reports dropped output even if the program prints nothing more', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const lines: string[] = []
  const log = (_level: string, message: string) => lines.push(message)
  const reporter = new BufferedReporter()
  reporter.attach({ log } as unknown as ServerReporter)
  for (let i = 0; i < 3000; i++) reporter.print('stderr', 'x'.repeat(1000))
  const printed = lines.length
  vi.advanceTimersByTime(5000)
  expect(lines.slice(printed)).toEqual([
    expect.stringMatching(/^\d+ lines \(\d+ KB\) of output were dropped/),
  ])
})
