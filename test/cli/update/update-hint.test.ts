import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { checkLatestVersion, readKnownVersion } from '../../../src/cli/update/latest-version.ts'
import { isNewer } from '../../../src/cli/update/update-hint.ts'
import { wantsUpdateHint } from '../../../src/cli/update/wants-hint.ts'
import { type HomePaths, homePaths } from '../../../src/shared/paths.ts'
import { listen } from '../../helpers/services/npm-registry.ts'

let paths: HomePaths
let registry: Server | undefined
beforeEach(() => {
  paths = homePaths({ MCP_HOME: mkdtempSync(join(tmpdir(), 'mcp-update-')) })
})
afterEach(() => {
  rmSync(paths.home, { recursive: true })
  registry?.close()
  registry = undefined
})

async function startRegistry(answer: string): Promise<{ env: NodeJS.ProcessEnv; requests: unknown[] }> {
  const requests: unknown[] = []
  registry = createServer(({ method, url, headers }, response) => {
    requests.push({ method, url, headers })
    response.end(answer)
  })
  return { env: { npm_config_registry: `http://127.0.0.1:${await listen(registry)}/` }, requests }
}

test('the update check asks only for public metadata and remembers the newest version', async () => {
  const { env, requests } = await startRegistry('{"name":"mcp-hosting","version":"9.1.0"}')
  await checkLatestVersion(paths, env)
  expect(readKnownVersion(paths)).toEqual({ checkedAt: expect.any(String), latest: '9.1.0' })
  expect(requests).toEqual([
    {
      method: 'GET',
      url: '/mcp-hosting/latest',
      headers: { host: expect.any(String), connection: expect.any(String) },
    },
  ])
})

test('a failed update check keeps the known version and counts as a check', async () => {
  writeFileSync(paths.updateCheck, '{"checkedAt":"2026-01-01T00:00:00.000Z","latest":"9.0.0"}')
  for (const env of [(await startRegistry('not JSON')).env, { npm_config_registry: 'http://127.0.0.1:1' }])
    await checkLatestVersion(paths, env)
  const { checkedAt, latest } = readKnownVersion(paths)!
  expect(latest).toBe('9.0.0')
  expect(Date.parse(checkedAt)).toBeGreaterThan(Date.parse('2026-01-01'))
})

test('only a higher release counts as newer', () => {
  expect(isNewer('0.10.0', '0.9.9')).toBe(true)
  expect(isNewer('1.0.0', '0.9.9')).toBe(true)
  for (const [version, than] of [
    ['0.2.0', '0.2.0'],
    ['0.1.9', '0.2.0'],
    ['1.0.0-beta.1', '0.2.0'],
    ['1.0.0', '0.0.0-source'],
  ])
    expect(isNewer(version!, than!), `${version} ${than}`).toBe(false)
})

test('the update hint is shown only at a terminal, and not with --quiet or a variable that turns it off', () => {
  const person = { terminal: true, interactive: true, quiet: false }
  expect(wantsUpdateHint('list', person, {})).toBe(true)
  for (const [command, output, env] of [
    ['list', { ...person, terminal: false }, {}],
    ['list', { ...person, interactive: false }, {}],
    ['list', { ...person, quiet: true }, {}],
    ['list', person, { MCP_NO_UPDATE_CHECK: '1' }],
    ['list', person, { NO_UPDATE_NOTIFIER: '1' }],
    ['__complete', person, {}],
  ] as const)
    expect(wantsUpdateHint(command, output, env)).toBe(false)
})

test('the update hint names a newer version at most once a day', async () => {
  vi.doMock('../../../src/shared/version.ts', () => ({ VERSION: '0.2.0' }))
  vi.resetModules()
  const { showUpdateHint } = await import('../../../src/cli/update/update-hint.ts')
  const now = Date.parse('2026-11-23T08:00:00Z')
  const checkedAt = new Date(now).toISOString()
  writeFileSync(paths.updateCheck, JSON.stringify({ checkedAt, latest: '0.3.0' }))
  const notes: string[] = []
  const show = (hours: number) =>
    showUpdateHint(paths, { note: text => notes.push(text) }, now + hours * 3_600_000)
  show(0)
  show(23)
  expect(notes).toEqual([
    '\nmcp 0.3.0 is available (installed: 0.2.0). To update: npm install -g mcp-hosting',
  ])
  vi.doUnmock('../../../src/shared/version.ts')
})
