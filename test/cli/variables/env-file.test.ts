import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { formatEnvLine, readEnvFile } from '../../../src/cli/variables/env-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcp-env-'))
afterAll(() => rmSync(folder, { recursive: true }))

function read(content: string): Record<string, string> {
  const file = join(folder, '.env')
  writeFileSync(file, content)
  return readEnvFile(file)
}

test('reads comments, exports, quotes, multi-line values and Windows line endings', () => {
  const content = `# comment with = and "quote\n\nexport A=1 # why\r\nB = "two\nlines"\nC='#'\nD=\nE=a"b\nF=x=y\n`
  expect(read(content)).toEqual({ A: '1', B: 'two\nlines', C: '#', D: '', E: 'a"b', F: 'x=y' })
})

test.each([
  ['A=1\nsecret-without-name\n', /\.env:2: expected NAME=value\.$/],
  ['A=1\n\n2B=x\n', /\.env:3: expected NAME=value, where NAME/],
  ['sk-live-abc==\n', /\.env:1: expected NAME=value, where NAME/],
  ['A="one\ntwo"\nB="never closed\nC=3\n', /\.env:3: the value has an unterminated quote/],
  ['=x\n', /\.env:1: expected NAME=value, where NAME/],
])('reports the file and line of an invalid line, but not its text: %j', (content, message) => {
  expect(() => read(content)).toThrow(message)
  expect(() => read(content)).not.toThrow(/secret|sk-live|never closed\n/)
})

test('reports a missing file', () => {
  expect(() => readEnvFile(join(folder, 'none'))).toThrow(/Could not read .*none: the file does not exist/)
})

test('written values are read back unchanged', () => {
  for (const value of [
    'plain',
    '',
    ' spaces ',
    'a#b',
    'two\nlines',
    `it's`,
    'say "hi"',
    '\\n',
    '`$x`',
    '=',
  ]) {
    const line = formatEnvLine('NAME', value)!
    expect(parseEnv(`${line}\n`), line).toEqual({ NAME: value })
    expect(read(`A=1\n${line}\nB=2\n`), line).toEqual({ A: '1', NAME: value, B: '2' })
  }
  expect(formatEnvLine('NAME', `all of '"\` #`)).toBeUndefined()
})
