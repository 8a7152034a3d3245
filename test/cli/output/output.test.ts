import { afterEach, expect, test, vi } from 'vitest'
import { createOutput, type Output, type OutputOptions } from '../../../src/cli/output/output.ts'
import { readableJson } from '../../../src/cli/output/readable-json.ts'
import type { Style } from '../../../src/cli/output/style.ts'
import { HostingError } from '../../../src/shared/errors.ts'

const { isTTY, columns } = process.stdout
afterEach(() => {
  Object.assign(process.stdout, { isTTY, columns })
  vi.restoreAllMocks()
})

const OPTIONS = { json: false, quiet: false, color: false, debug: false, env: {} }

/** Everything that `print` writes to standard output. `columns`: 0 in a pipe. */
async function capture(
  print: (output: Output) => void,
  { columns, ...options }: Partial<OutputOptions> & { columns: number },
): Promise<string> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  Object.assign(process.stdout, { isTTY: columns > 0, columns })
  print(await createOutput({ ...OPTIONS, ...options }))
  const written = write.mock.calls.map(([text]) => text).join('')
  write.mockClear()
  return written
}

async function printed(text: string, terminal: boolean): Promise<string> {
  return capture(output => output.line(text), { columns: terminal ? 80 : 0 })
}

test('server output cannot control a terminal and reaches a pipe unchanged', async () => {
  const text = '\u001b]52;c;aGk=\u0007\u001b[2Jhi'
  expect(await printed(text, true)).toBe('�]52;c;aGk=��[2Jhi\n')
  expect(await printed(text, false)).toBe(`${text}\n`)
})

test('an error does not repeat the first problem, which its message already contains', async () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const output = await createOutput({ json: false, quiet: false, color: false, debug: false, env: {} })
  await output.error(new HostingError('INVALID_MCP', 'It failed: a.ts:1', { details: 'a.ts:1\n  x\nb.ts:2' }))
  expect(write.mock.calls.map(([text]) => text)).toEqual([
    'Error: It failed: a.ts:1\n',
    '    x\n',
    '  b.ts:2\n',
  ])
})

const forecast = { city: 'Oslo', days: [1, 2], text: 'Sunny, then cloudy with rain in the evening' }

test('JSON is indented for a terminal and compact in a pipe', async () => {
  const compact = JSON.stringify(forecast)
  for (const print of [
    (output: Output) => output.content(compact),
    (output: Output) => output.result(forecast, () => {}),
  ]) {
    expect(await capture(print, { columns: 0, json: true })).toBe(`${compact}\n`)
    const shown = await capture(print, { columns: 40, json: true })
    expect(shown.split('\n').slice(0, 3)).toEqual(['{', '  "city": "Oslo",', '  "days": [1, 2],'])
    expect(JSON.parse(shown)).toEqual(forecast)
  }
})

test('names, strings, numbers and null in JSON have different colours', () => {
  const paint = (color: string) => (text: string) => `<${color} ${text}>`
  const style = Object.fromEntries(
    ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'].map(color => [color, paint(color)]),
  ) as Style
  expect(readableJson('{"a":["b\u202e",1,null]}', style)).toBe(
    '{\n  <cyan "a">: [<green "b\\u202e">, <yellow 1>, <dim null>]\n}',
  )
})

test('content is unchanged if it is not a JSON object or array, or has numbers that JavaScript cannot represent', async () => {
  for (const text of ['{not json', '[1234567890123456789]', '"text"', '7'])
    expect(await capture(output => output.content(text), { columns: 20 })).toBe(`${text}\n`)
})

test('sentences are wrapped at words, and long words stay whole', async () => {
  const url = 'http://127.0.0.1:23232/mcp'
  const print = (output: Output) => {
    output.line(`weather is running at ${url} in development`)
    output.fields({ url, note: 'one two three four five six seven' })
    output.next({ description: 'Follow its log', command: 'mcp logs weather -f' })
  }
  expect((await capture(print, { columns: 30 })).split('\n')).toEqual([
    'weather is running at',
    `${url} in`,
    'development',
    '  url',
    `    ${url}`,
    '  note  one two three four',
    '        five six seven',
    '',
    'Follow its log:',
    '  mcp logs weather -f',
    '',
  ])
})

test('a long command is one line, padded so that a terminal breaks it between words', async () => {
  const rows = async (command: string) => {
    const text = await capture(output => output.hint({ description: 'Call it with a city', command }), {
      columns: 20,
    })
    const [head, line] = text.split('\n')
    expect(line!.trim().split(/\s+/)).toEqual(command.split(/\s+/))
    return [head, ...line!.match(/.{1,20}/g)!.map(row => row.trimEnd())]
  }
  expect(await rows("mcp call weather now city=Oslo 'days:=[1, 2]'")).toEqual([
    'Call it with a city:',
    '  mcp call weather',
    '    now city=Oslo',
    "    'days:=[1, 2]'",
  ])
  expect(await rows('mcp tools http://127.0.0.1:23232/mcp')).toEqual([
    'Call it with a city:',
    '  mcp tools http://1',
    '27.0.0.1:23232/mcp',
  ])
})

test('--quiet prints the values of the given fields, or all output if no fields are given', async () => {
  const document = { status: 'ready', items: [{ id: 'a' }, { id: 'b' }, { id: 'a' }], url: 'http://x' }
  const quiet = (value: unknown, quietFields?: string[]) =>
    capture(output => output.result(value, () => output.line('text')), {
      columns: 0,
      quiet: true,
      quietFields,
    })
  expect(await quiet(document, ['url'])).toBe('http://x\n')
  expect(await quiet(document, ['items.id', 'url'])).toBe('a\nb\nhttp://x\n')
  expect(await quiet([document], ['items.id'])).toBe('a\nb\n')
  expect(await quiet({ ...document, status: 'failed' }, ['url'])).toBe('')
  expect(await quiet({ ...document, status: 'failed' }, ['status'])).toBe('failed\n')
  expect(await quiet(document)).toBe('text\n')
})
