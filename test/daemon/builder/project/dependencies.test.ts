import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Dependencies } from '../../../../src/daemon/builder/project/dependencies.ts'
import { createProjectFolder, type ProjectFolder } from '../../../helpers/daemon/project-folder.ts'
import {
  filesWithDependency,
  listen,
  type NpmRegistry,
  startRegistry,
} from '../../../helpers/services/npm-registry.ts'

let registry: NpmRegistry
let npmCache: ProjectFolder
const closing = new AbortController()
const open = (cache: ProjectFolder) => new Dependencies(cache.path, closing.signal)
const projectFiles = (entry: object = {}) => filesWithDependency(registry, entry)

beforeAll(async () => {
  npmCache = createProjectFolder()
  vi.stubEnv('npm_config_cache', npmCache.path)
  // The variable would take precedence over the registry in `.npmrc`.
  vi.stubEnv('npm_config_registry', undefined)
  registry = await startRegistry()
})
afterAll(() => {
  vi.unstubAllEnvs()
  npmCache[Symbol.dispose]()
  registry.close()
})

test('installs the packages of a lock file once for all projects that share it, without running scripts', async () => {
  using cache = createProjectFolder()
  using one = createProjectFolder(projectFiles())
  using other = createProjectFolder(projectFiles())
  const dependencies = open(cache)
  await Promise.all([dependencies.provide(one.path), dependencies.provide(other.path)])
  for (const { path } of [one, other])
    expect(readFileSync(join(path, 'node_modules/tiny/index.js'), 'utf8')).toBe('module.exports = 42')
  expect(existsSync(join(one.path, 'node_modules/tiny/ran'))).toBe(false)
  expect(existsSync(join(one.path, 'node_modules/other'))).toBe(false)
  expect(registry.requests).toBe(1)

  using later = createProjectFolder(projectFiles())
  await open(cache).provide(later.path)
  expect(existsSync(join(later.path, 'node_modules/tiny'))).toBe(true)
  expect(registry.requests).toBe(1)
})

test.each([
  ['without package.json', {}],
  ['without dependencies', { 'package.json': '{"devDependencies":{"vitest":"*"}}' }],
  ['that depends only on mcp-hosting', { 'package.json': '{"dependencies":{"mcp-hosting":"*"}}' }],
])('a project %s needs no npm', async (_what, files) => {
  using cache = createProjectFolder()
  using project = createProjectFolder(files)
  await open(cache).provide(project.path)
  expect(existsSync(join(project.path, 'node_modules'))).toBe(false)
  expect(readdirSync(cache.path)).toEqual([])
})

test.each([
  [{}, 'there is no package-lock.json'],
  [{ 'pnpm-lock.yaml': '' }, 'they are locked by pnpm-lock.yaml instead of package-lock.json'],
  [{ 'yarn.lock': '' }, 'they are locked by yarn.lock'],
])(
  'rejects dependencies without a package-lock.json and suggests the next step: %j',
  async (files, expected) => {
    using cache = createProjectFolder()
    using project = createProjectFolder({ 'package.json': '{"dependencies":{"tiny":"^1.0.0"}}', ...files })
    await expect(open(cache).provide(project.path)).rejects.toMatchObject({
      code: 'INVALID_MCP',
      message: expect.stringContaining(expected),
      next: [{ command: 'npm install --package-lock-only' }],
    })
  },
)

test.each([
  [
    { resolved: 'git+ssh://git@example.com/tiny.git#abc' },
    'comes from git+ssh://git@example.com/tiny.git#abc',
  ],
  [{ resolved: 'file:../../tiny' }, 'comes from file:../../tiny'],
  [{ resolved: 'packages/tiny', link: true }, 'comes from packages/tiny'],
])('rejects a dependency that is not from a registry: %j', async (entry, expected) => {
  using cache = createProjectFolder()
  using project = createProjectFolder(projectFiles(entry))
  await expect(open(cache).provide(project.path)).rejects.toThrow(expected)
})

test.each([
  'git+ssh://git@example.com/tiny.git',
  'someone/tiny',
  'github:someone/tiny',
  'https://github.com/someone/tiny',
  'https://example.com/tiny.git#main',
  'file:../tiny',
  'link:../tiny',
  'workspace:*',
])(
  'rejects the dependency %s in a package.json, in an override or in a package before npm runs',
  async wanted => {
    const asking = [
      { 'package.json': JSON.stringify({ dependencies: { tiny: wanted } }) },
      {
        'package.json': JSON.stringify({
          dependencies: { other: '*' },
          overrides: { other: { tiny: wanted } },
        }),
      },
      projectFiles({ dependencies: { tiny: wanted } }),
    ]
    for (const files of asking) {
      using cache = createProjectFolder()
      using project = createProjectFolder({ ...projectFiles(), ...files })
      await expect(open(cache).provide(project.path)).rejects.toThrow(
        `The dependency "tiny" comes from ${wanted}. Only packages from a registry are installed.`,
      )
      expect(readdirSync(cache.path)).toEqual([])
    }
  },
)

test('reports a lock file that does not match package.json, without other output from npm', async () => {
  using cache = createProjectFolder()
  const versions = { '2.0.0': { name: 'tiny', version: '2.0.0', dist: { tarball: registry.url } } }
  const packages = createServer((_request, response) =>
    response.end(JSON.stringify({ name: 'tiny', 'dist-tags': { latest: '2.0.0' }, versions })),
  )
  const port = await listen(packages)
  using project = createProjectFolder({
    ...projectFiles(),
    'package.json': JSON.stringify({ dependencies: { tiny: '^2.0.0' } }),
    '.npmrc': `registry=http://127.0.0.1:${port}/`,
  })
  await expect(open(cache).provide(project.path)).rejects.toMatchObject({
    code: 'INVALID_MCP',
    message: 'package-lock.json does not match package.json.',
    details:
      "Invalid: lock file's tiny@1.0.0 does not satisfy tiny@2.0.0\nUpdate the lock file, then build again: npm install --package-lock-only",
    next: [{ command: 'npm install --package-lock-only' }],
  })
  packages.closeAllConnections()
  packages.close()
})

test('reports an unreachable registry and caches nothing, so the next build tries again', async () => {
  using cache = createProjectFolder()
  using emptyNpmCache = createProjectFolder()
  vi.stubEnv('npm_config_cache', emptyNpmCache.path)
  const closed = createServer()
  const port = await listen(closed)
  await new Promise(resolve => closed.close(resolve))
  const files = projectFiles({ resolved: `http://127.0.0.1:${port}/tiny/-/tiny-1.0.0.tgz` })
  using project = createProjectFolder({
    ...files,
    '.npmrc': `registry=http://127.0.0.1:${port}/`,
  })
  await expect(open(cache).provide(project.path)).rejects.toMatchObject({
    code: 'UPSTREAM_FAILED',
    message: 'The npm registry cannot be reached (ECONNREFUSED).',
  })
  expect(readdirSync(cache.path)).toEqual([])
  const archive = Buffer.from(await (await fetch(registry.url)).arrayBuffer())
  const reopened = createServer((_request, response) => response.end(archive))
  await new Promise<void>(resolve => reopened.listen(port, '127.0.0.1', resolve))
  await open(cache).provide(project.path)
  expect(existsSync(join(project.path, 'node_modules/tiny/index.js'))).toBe(true)
  reopened.closeAllConnections()
  reopened.close()
})

test('rejects a package that does not match the integrity of the lock file', async () => {
  using cache = createProjectFolder()
  const wrong = `sha512-${createHash('sha512').update('other bytes').digest('base64')}`
  using project = createProjectFolder(projectFiles({ integrity: wrong }))
  await expect(open(cache).provide(project.path)).rejects.toMatchObject({
    code: 'INVALID_MCP',
    details: expect.stringContaining('EINTEGRITY'),
  })
})

test('removes dependencies that have not been used for a month, and leftovers of a crash', async () => {
  using cache = createProjectFolder({
    'old/node_modules/x.js': '',
    'new/node_modules/x.js': '',
    'half.1.tmp/x': '',
  })
  const now = Date.now()
  const age = (name: string, days: number) => {
    const then = new Date(now - days * 24 * 3600 * 1000)
    utimesSync(join(cache.path, name), then, then)
  }
  age('old', 31)
  age('new', 29)
  age('half.1.tmp', 1)
  await open(cache).prune(now)
  expect(readdirSync(cache.path)).toEqual(['new'])
})

test('an installation stops with the daemon and leaves no files behind', async () => {
  using cache = createProjectFolder()
  const asked = Promise.withResolvers<void>()
  const silent = createServer(() => asked.resolve())
  const port = await listen(silent)
  const wrong = `sha512-${createHash('sha512').update('never sent').digest('base64')}`
  const entry = { resolved: `http://127.0.0.1:${port}/tiny/-/tiny-1.0.0.tgz`, integrity: wrong }
  using project = createProjectFolder(projectFiles(entry))
  const ending = new AbortController()
  const provided = new Dependencies(cache.path, ending.signal).provide(project.path)
  await asked.promise
  ending.abort()
  await expect(provided).rejects.toMatchObject({ code: 'INTERRUPTED' })
  expect(readdirSync(cache.path)).toEqual([])
  silent.closeAllConnections()
  silent.close()
})
