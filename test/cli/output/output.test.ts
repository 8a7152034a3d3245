import { afterEach, expect, test, vi } from 'vitest'
import { createOutput } from '../../../src/cli/output/output.ts'
import { HostingError } from '../../../src/shared/errors.ts'

const isTTY = process.stdout.isTTY
afterEach(() => {
  process.stdout.isTTY = isTTY
  vi.restoreAllMocks()
})

async function printed(text: string, terminal: boolean): Promise<string> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  process.stdout.isTTY = terminal
  const output = await createOutput({ json: false, quiet: false, color: false, debug: false, env: {} })
  output.line(text)
  return String(write.mock.lastCall?.[0])
}

test('server output cannot control a terminal and reaches a pipe unchanged', async () => {
  const text = '\u001b]52;c;aGk=\u0007\u001b[2Jhi'
  expect(await printed(text, true)).toBe('�]52;c;aGk=��[2Jhi\n')
  expect(await printed(text, false)).toBe(`${text}\n`)
})

test('the first of several problems is not repeated after the message', async () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const output = await createOutput({ json: false, quiet: false, color: false, debug: false, env: {} })
  await output.error(new HostingError('INVALID_MCP', 'It failed: a.ts:1', { details: 'a.ts:1\n  x\nb.ts:2' }))
  expect(write.mock.calls.map(([text]) => text)).toEqual([
    'Error: It failed: a.ts:1\n',
    '    x\n',
    '  b.ts:2\n',
  ])
})
