import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeDiscovery, writeDiscovery } from '../src/daemon/discovery.ts'
import { type HomePaths, homePaths } from '../src/shared/paths.ts'

const discovery = { url: 'http://127.0.0.1:1', pid: 1, nonce: 'mine', startedAt: '', version: '' }

let paths: HomePaths

beforeEach(() => {
  paths = homePaths({ MCP_HOME: mkdtempSync(join(tmpdir(), 'mcp-discovery-')) })
})

afterEach(() => rmSync(paths.home, { recursive: true, force: true }))

test('the file is for its owner alone and goes with the daemon that wrote it', () => {
  writeDiscovery(paths, discovery)
  expect(statSync(paths.discovery).mode & 0o777).toBe(0o600)
  removeDiscovery(paths, 'another')
  expect(existsSync(paths.discovery)).toBe(true)
  removeDiscovery(paths, 'mine')
  expect(existsSync(paths.discovery)).toBe(false)
  removeDiscovery(paths, 'mine')
})

test('a file that somebody damaged does not keep the daemon from ending well', () => {
  for (const content of ['', 'null', '{"nonce"']) {
    writeFileSync(paths.discovery, content)
    removeDiscovery(paths, 'mine')
  }
})

test('a file that cannot be written is named', () => {
  mkdirSync(paths.discovery)
  expect(() => writeDiscovery(paths, discovery)).toThrow(
    /The file .*daemon\.json cannot be written \(EISDIR\)/,
  )
})
