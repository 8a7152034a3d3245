import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Image } from '../../../../src/daemon/builder/image/image.ts'
import { writeImage } from '../../../../src/daemon/builder/image/image.ts'
import { writeLayer } from '../../../../src/daemon/builder/image/layer.ts'
import { Layout } from '../../../../src/daemon/builder/image/layout.ts'
import { registrySource } from '../../../../src/daemon/builder/image/pull.ts'
import { pushImage } from '../../../../src/daemon/builder/image/push.ts'
import { Registry } from '../../../../src/daemon/builder/image/registry.ts'
import { findCredentials } from '../../../../src/daemon/builder/image/registry-auth.ts'
import { parseRepository } from '../../../../src/daemon/builder/image/repository-address.ts'
import type { HostingError } from '../../../../src/shared/errors.ts'
import { type SmallRegistry, startRegistry } from './small-registry.ts'

const directory = mkdtempSync(join(tmpdir(), 'mcp-registry-'))
const layout = new Layout(join(directory, 'layout'))
let image: Image

beforeAll(async () => {
  const layer = await writeLayer(layout.blobs, [{ path: 'app/hello.txt', content: 'hello' }])
  image = await writeImage(layout.blobs, [layer], {
    entrypoint: ['/app/hello'],
    env: { PORT: '8080' },
    workingDir: '/app',
    user: '1:1',
    ports: [8080],
    labels: {},
  })
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

const repository = (host: string) => parseRepository(`${host}/team/weather`)

test('pushes an image and sends nothing twice', async () => {
  await using server = await startRegistry()
  const registry = new Registry(repository(server.host), {})
  const first = await pushImage(registry, layout.blobs, image, '1.0.0')
  expect([first.sent.length, first.known.length]).toEqual([2, 0])
  expect(server.manifests.get('1.0.0')).toEqual(layout.blobs.read(image.descriptor.digest))
  server.requests.length = 0
  const second = await pushImage(registry, layout.blobs, image, '1.0.0')
  expect([second.sent.length, second.known.length]).toEqual([0, 2])
  expect(server.requests.every(line => line.startsWith('HEAD '))).toBe(true)
})

test('mounts blobs from another repository in the registry instead of sending them', async () => {
  await using server = await startRegistry()
  for (const { digest } of image.manifest.layers) server.blobs.set(digest, layout.blobs.read(digest))
  server.failNext(/^HEAD .*blobs/, 404)
  const registry = new Registry(repository(server.host), {})
  const report = await pushImage(registry, layout.blobs, image, '1.0.0', {
    mountFrom: () => 'team/base',
  })
  expect(report.known).toEqual(image.manifest.layers)
})

test('signs in to a registry with a password or a token', async () => {
  for (const options of [{ basic: 'me:secret' }, { basic: 'me:secret', token: 'abc' }]) {
    await using server = await startRegistry(options)
    const config = join(directory, 'config.json')
    writeFileSync(
      config,
      JSON.stringify({ auths: { [server.host]: { auth: Buffer.from('me:secret').toString('base64') } } }),
    )
    const credentials = await findCredentials(config, server.host)
    await pushImage(new Registry(repository(server.host), { credentials }), layout.blobs, image, 'latest')
    expect(server.manifests.has('latest')).toBe(true)
  }
})

test('reports a registry that denies access', async () => {
  await using server = await startRegistry({ basic: 'me:secret' })
  const credentials = { username: 'me', password: 'wrong' }
  const push = pushImage(
    new Registry(repository(server.host), { credentials }),
    layout.blobs,
    image,
    'latest',
  )
  await expect(push).rejects.toMatchObject({
    code: 'UPSTREAM_FAILED',
    message: `The registry ${server.host} denied access: HTTP 401.`,
  })
})

test('suggests docker login when there are no credentials', async () => {
  await using server = await startRegistry({ basic: 'me:secret' })
  const push = pushImage(new Registry(repository(server.host), {}), layout.blobs, image, 'latest')
  await expect(push).rejects.toMatchObject({
    details: expect.stringContaining(`docker login ${server.host}`),
  })
})

test.each([
  [403, 'did not return team/weather:1', ['docker login']],
  [404, 'has no team/weather:1', [undefined, 'docker login']],
  [429, 'did not return team/weather:1', [undefined]],
  [500, 'did not return team/weather:1', [undefined]],
])(
  'reports HTTP %i for a manifest and suggests signing in only if it can help',
  async (status, what, commands) => {
    await using server = await startRegistry()
    server.failNext(/^GET .*manifests/, status)
    const source = registrySource(new Registry(repository(server.host), {}))
    const error: HostingError = await source.manifest('1').then(
      () => expect.unreachable(),
      failure => failure,
    )
    expect(error.message).toBe(`The registry ${server.host} ${what}: HTTP ${status}.`)
    expect(error.next.map(({ command }) => command)).toEqual(
      commands.map(command => command && `${command} ${server.host}`),
    )
  },
)

test('reports invalid JSON in the credentials file without quoting it', async () => {
  const config = join(directory, 'broken.json')
  writeFileSync(config, 'hunter2')
  const broken = await findCredentials(config, 'registry.example.com').catch(String)
  expect(broken).toContain('broken.json cannot be read: it is not JSON')
  writeFileSync(join(directory, 'docker-credential-mute'), '#!/bin/sh\necho hunter2\n', { mode: 0o755 })
  writeFileSync(config, '{"credsStore":"mute"}')
  vi.stubEnv('PATH', `${directory}:${process.env.PATH}`)
  const mute = await findCredentials(config, 'registry.example.com').catch(String)
  vi.unstubAllEnvs()
  expect(mute).toContain('docker-credential-mute failed: its output is not JSON')
  expect([broken, mute].join()).not.toContain('hunter2')
})

test('an interrupted push leaves no tag, and the next push sends no blob again', async () => {
  await using server = await startRegistry()
  server.failNext(/^PUT .*manifests/, 500)
  const registry = new Registry(repository(server.host), {})
  await expect(pushImage(registry, layout.blobs, image, '1.0.0')).rejects.toMatchObject({
    code: 'UPSTREAM_FAILED',
  })
  expect(server.manifests.size).toBe(0)
  const report = await pushImage(registry, layout.blobs, image, '1.0.0')
  expect(report.sent).toEqual([])
})

test('rejects a repository without a host, with an example', () => {
  expect(() => parseRepository('team/weather')).toThrow('registry.example.com/team/weather')
})

describe('a push to a failing or malicious registry leaves no tag and reports the reason', () => {
  const cases: [string, (server: SmallRegistry) => void, RegExp][] = [
    ['a refused upload', server => server.failNext(/^POST/, 503), /did not start an upload: HTTP 503/],
    [
      'an upload without a location',
      server => answer(server, /^POST/, 202, {}),
      /did not start an upload: HTTP 202/,
    ],
    [
      'an invalid upload location',
      server => answer(server, /^POST/, 202, { location: 'http://' }),
      /is not a web URL/,
    ],
    [
      'an upload location that is a file',
      server => answer(server, /^POST/, 202, { location: 'file:///etc' }),
      /is not a web URL/,
    ],
    ['a rejected blob', server => server.failNext(/^PUT .*uploads/, 400), /rejected sha256:.*HTTP 400/],
    [
      'a connection closed while a blob is sent',
      server => server.respondWith(/^PUT .*uploads/, request => request.destroy()),
      /did not respond/,
    ],
    [
      'a rejected manifest',
      server => server.failNext(/^PUT .*manifests/, 500),
      /rejected the manifest of 1.0.0: HTTP 500/,
    ],
    [
      'a connection closed while the manifest is sent',
      server => server.respondWith(/^PUT .*manifests/, request => request.destroy()),
      /did not respond/,
    ],
  ]
  test.each(cases)('a push leaves no tag and reports %s', async (_name, respondWith, expected) => {
    await using server = await startRegistry()
    respondWith(server)
    const push = pushImage(new Registry(repository(server.host), {}), layout.blobs, image, '1.0.0')
    await expect(push).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      message: expect.stringMatching(expected),
    })
    expect(server.manifests.size).toBe(0)
  })
})

function answer(
  server: SmallRegistry,
  pattern: RegExp,
  status: number,
  headers: Record<string, string>,
): void {
  server.respondWith(pattern, (_, response) => response.writeHead(status, headers).end())
}

test('uses the API host of Docker Hub and the credentials from docker login for images from Docker Hub', async () => {
  const address = parseRepository('docker.io/node')
  expect(address).toEqual({ registry: 'docker.io', repository: 'library/node' })
  expect(parseRepository('docker.io/team/weather').repository).toBe('team/weather')
  expect(new Registry(address, {}).url('manifests/24').href).toBe(
    'https://registry-1.docker.io/v2/library/node/manifests/24',
  )
  const config = join(directory, 'hub.json')
  const auth = Buffer.from('user:secret').toString('base64')
  writeFileSync(config, JSON.stringify({ auths: { 'https://index.docker.io/v1/': { auth } } }))
  expect(await findCredentials(config, 'docker.io')).toEqual({ username: 'user', password: 'secret' })
  expect(await findCredentials(config, 'registry.example.com')).toBeUndefined()
})
