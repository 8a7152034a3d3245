import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeDiscovery, writeDiscovery } from '../../../src/daemon/home/discovery.ts'
import { type HomePaths, homePaths } from '../../../src/shared/paths.ts'

const discovery = { url: 'http://127.0.0.1:1', pid: 1, nonce: 'mine', startedAt: '', version: '' }

let paths: HomePaths

beforeEach(() => {
  paths = homePaths({ MCP_HOME: mkdtempSync(join(tmpdir(), 'mcp-discovery-')) })
})

afterEach(() => rmSync(paths.home, { recursive: true, force: true }))

test('only the owner can read the discovery file, and only its daemon removes it', () => {
  writeDiscovery(paths, discovery)
  expect(statSync(paths.discovery).mode & 0o777).toBe(0o600)
  removeDiscovery(paths, 'another')
  expect(existsSync(paths.discovery)).toBe(true)
  removeDiscovery(paths, 'mine')
  expect(existsSync(paths.discovery)).toBe(false)
  removeDiscovery(paths, 'mine')
})

test('a damaged discovery file does not prevent a clean shutdown', () => {
  for (const content of ['', 'null', '{"nonce"']) {
    writeFileSync(paths.discovery, content)
    removeDiscovery(paths, 'mine')
  }
})

test('reports the path of a discovery file that cannot be written', () => {
  mkdirSync(paths.discovery)
  expect(() => writeDiscovery(paths, discovery)).toThrow(
    /The file .*daemon\.json cannot be written \(EISDIR\)/,
  )
})
