import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHome, type TestHome } from '../helpers/mcp.ts'

/**
 * What a command costs before it does anything is what it loads: a file about a millisecond, a module of Node up to ten.
 * Clocks tell it too late and unreliably, so it is held here (docs/performance.md).
 */
let home: TestHome

beforeAll(async () => {
  home = createHome()
  await home.json(['daemon', 'start'])
})

afterAll(() => home.remove())

const TELL_LOADED = fileURLToPath(new URL('../fixtures/cli/tell-loaded.mjs', import.meta.url))

/** Files of ours, by name without the hash, and modules of Node that a bare start of Node does not load. */
async function loadedBy(args: string[]): Promise<{ files: string[]; builtins: string[] }> {
  const file = join(home.dir, 'loaded.json')
  const env = { ...home.env, NODE_OPTIONS: `--import=${TELL_LOADED}`, LOADED: file }
  const { code, stderr } = await home.mcp(args, { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const { files, builtins } = JSON.parse(readFileSync(file, 'utf8')) as Record<'files' | 'builtins', string[]>
  return { files: files.map(url => basename(url).replace(/-[A-Z0-9]{8}\.js$/, '.js')), builtins }
}

test('the version is told before anything is loaded', async () => {
  const { files } = await loadedBy(['--version'])
  expect(files.filter(name => name !== 'chunk.js')).toEqual(['mcp.js', 'cli.js'])
})

test('a command with an API call loads few files, and of Node what speaks HTTP', async () => {
  const bare = await loadedBy(['--version'])
  const { files, builtins } = await loadedBy(['status', '--json'])
  expect(files.filter(name => name !== 'chunk.js')).toEqual(['mcp.js', 'cli.js', 'program.js', 'commands.js'])
  expect(files.length).toBeLessThanOrEqual(9)
  expect(builtins.filter(name => !bare.builtins.includes(name) && !name.startsWith('_http_'))).toEqual([
    'net',
    'http',
  ])
})
