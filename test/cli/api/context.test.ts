import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Config, resolveSettings, type SettingsInput } from '../../../src/cli/api/context.ts'
import { homePaths } from '../../../src/shared/paths.ts'
import { createHome, type TestHome } from '../../helpers/daemon/mcp.ts'

let dir: string
let home: TestHome | undefined

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mcp-context-'))
})

afterEach(async () => {
  rmSync(dir, { recursive: true, force: true })
  await home?.remove()
  home = undefined
})

const WORK = 'https://work.example.com'

function save(config: Config, keys: Record<string, string> = {}): void {
  const contexts = Object.fromEntries(Object.entries(keys).map(([name, apiKey]) => [name, { apiKey }]))
  writeFileSync(join(dir, 'config.json'), JSON.stringify(config))
  writeFileSync(join(dir, 'credentials.json'), JSON.stringify({ contexts }))
}

function resolve(globals: Partial<SettingsInput['globals']> = {}, env: NodeJS.ProcessEnv = {}) {
  const flags = { apiUrl: undefined, apiKey: undefined, context: undefined, ...globals }
  return resolveSettings({ globals: flags, env, paths: homePaths({ MCP_HOME: dir }) })
}

test('without flags, variables and contexts, commands use the local daemon', () => {
  expect(resolve()).toEqual({
    context: { value: 'local', source: 'default', from: 'the local daemon' },
    apiUrl: undefined,
    apiKey: undefined,
  })
})

test('commands use the URL and key of the current context', () => {
  save(
    { current: 'work', contexts: { work: { apiUrl: WORK } } },
    { work: 'key-of-work', local: 'key-of-local' },
  )
  expect(resolve()).toMatchObject({
    context: { value: 'work', source: 'context' },
    apiUrl: { value: WORK, source: 'context', from: 'work' },
    apiKey: { value: 'key-of-work', source: 'context', from: 'work' },
  })
})

test('the environment overrides the context, and a flag overrides the environment', () => {
  save({
    current: 'work',
    contexts: { work: { apiUrl: WORK }, other: { apiUrl: 'https://other.example.com' } },
  })
  const env = { MCP_CONTEXT: 'other', MCP_API_URL: 'https://env.example.com/', MCP_API_KEY: 'key-of-env' }
  expect(resolve({}, env)).toMatchObject({
    context: { value: 'other', source: 'environment', from: 'MCP_CONTEXT' },
    apiUrl: { value: 'https://env.example.com', source: 'environment', from: 'MCP_API_URL' },
    apiKey: { value: 'key-of-env', source: 'environment', from: 'MCP_API_KEY' },
  })
  expect(resolve({ apiUrl: 'https://flag.example.com', apiKey: 'key-of-flag' }, env)).toMatchObject({
    apiUrl: { value: 'https://flag.example.com', source: 'flag', from: '--api-url' },
    apiKey: { value: 'key-of-flag', source: 'flag', from: '--api-key' },
  })
  expect(resolve({ context: 'work' }, env).apiUrl).toMatchObject({ value: WORK, source: 'context' })
})

test('a key is only used with the URL it was saved for', () => {
  save({ contexts: { work: { apiUrl: WORK } } }, { work: 'key-of-work', local: 'key-of-local' })
  expect(resolve({ apiUrl: `${WORK}/` }).apiKey?.value).toBe('key-of-work')
  expect(resolve({ apiUrl: 'https://elsewhere.example.com' }).apiKey).toBeUndefined()
  expect(resolve().apiKey?.value).toBe('key-of-local')
})

test('an unknown context is rejected with a list of contexts', () => {
  save({ contexts: { work: { apiUrl: WORK } } })
  expect(() => resolve({ context: 'wrok' })).toThrow('Context "wrok" does not exist. Known: local, work.')
})

test('the error for a damaged configuration names the file', () => {
  writeFileSync(join(dir, 'config.json'), '{')
  expect(() => resolve()).toThrow(`${join(dir, 'config.json')} is not a JSON object`)
})

test('contexts are added, used, listed, shown and removed', async () => {
  home = createHome()
  expect(await home.json(['context', 'add', 'work', `${WORK}/`])).toEqual({ name: 'work', apiUrl: WORK })
  expect(await home.json(['context', 'use', 'work'])).toEqual({ current: 'work' })
  expect(await home.json(['context', 'list'])).toEqual([
    { name: 'local', apiUrl: null, current: false, signedIn: false },
    { name: 'work', apiUrl: WORK, current: true, signedIn: false },
  ])
  expect(await home.json(['context', 'show', '--api-key', 'a-secret-key-0123456789'])).toMatchObject({
    context: { value: 'work', source: 'context' },
    apiUrl: { value: WORK },
    apiKey: { value: 'a-secre…6789', source: 'flag' },
  })
  const shown = await home.mcp(['context', 'show'])
  expect(shown.stdout).toMatch(/API URL +https:\/\/work\.example\.com +context: work/)
  expect(await home.json(['context', 'remove', 'work'])).toEqual({ removed: 'work' })
  expect(await home.json(['context', 'show'])).toMatchObject({
    context: { value: 'local', source: 'default' },
  })
  expect((await home.mcp(['context', 'use', 'work'])).code).toBe(4)
  expect((await home.mcp(['context', 'add', 'local', WORK])).code).toBe(2)
})
