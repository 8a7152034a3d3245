import { expect, test } from 'vitest'
import { UserOutput } from '../../../src/instance/isolation/user-output.ts'
import type { TenantLog } from '../../../src/instance/log/tenant-log.ts'

/** User output that collects its log lines. */
function createOutput() {
  const lines: string[] = []
  const log = {
    output: (stream: string, text: string) => lines.push(`${stream}: ${text}`),
    server: (level: string, text: string) => lines.push(`${level}: ${text}`),
  }
  return { lines, output: new UserOutput(log as unknown as TenantLog) }
}

test('reports complete lines, separately for each stream', () => {
  const { lines, output } = createOutput()
  output.write('stdout', 'one\ntw')
  output.write('stderr', 'wrong\n')
  output.write('stdout', 'o\n\n')
  expect(lines).toEqual(['stdout: one', 'stderr: wrong', 'stdout: two', 'stdout: '])
})

test('reports the last unfinished line when the process stops', () => {
  const { lines, output } = createOutput()
  output.write('stdout', 'half')
  output.finish()
  expect(lines).toEqual(['stdout: half'])
})

test('reports an unfinished line once it exceeds the limit', () => {
  const { lines, output } = createOutput()
  output.write('stdout', 'x'.repeat(70_000))
  expect(lines).toHaveLength(1)
})

test('decodes a multi-byte character that arrives in two chunks', async () => {
  const { lines, output } = createOutput()
  const [first, ...rest] = Buffer.from('ü\n')
  output.stdout.write(Buffer.from([first!]))
  await new Promise(resolve => output.stdout.write(Buffer.from(rest), resolve))
  expect(lines).toEqual(['stdout: ü'])
})

test('reports the number of lines dropped from excessive output', () => {
  const { lines, output } = createOutput()
  for (let i = 0; i < 20_000; i++) output.write('stdout', `${'x'.repeat(100)}\n`)
  output.finish()
  expect(lines.length).toBeLessThan(8000)
  expect(lines.at(-1)).toMatch(/^warn: \d+ lines \(\d+ KB\) of output were dropped/)
})
