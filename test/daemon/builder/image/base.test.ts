import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findCommand } from '../../../../src/daemon/builder/image/base.ts'
import { parseBaseReference } from '../../../../src/daemon/builder/image/base-reference.ts'
import { architecture, type Image, writeImage } from '../../../../src/daemon/builder/image/image.ts'
import { writeLayer } from '../../../../src/daemon/builder/image/layer.ts'
import { Layout } from '../../../../src/daemon/builder/image/layout.ts'
import { pulledBase } from '../../../../src/daemon/builder/image/pulled-base.ts'
import { pushImage } from '../../../../src/daemon/builder/image/push.ts'
import { Registry } from '../../../../src/daemon/builder/image/registry.ts'
import { parseRepository } from '../../../../src/daemon/builder/image/repository-address.ts'
import { buildServerImage } from '../../../../src/daemon/builder/image/server-image.ts'
import { tarGz } from '../../../helpers/archives.ts'
import { type SmallRegistry, startRegistry } from './small-registry.ts'

const directory = mkdtempSync(join(tmpdir(), 'mcp-base-'))
const source = new Layout(join(directory, 'source'))
/** Layout in which this machine's Node is packed once. */
const shared = new Layout(join(directory, 'shared'))
let image: Image
let count = 0

beforeAll(async () => {
  const layers = [
    await writeLayer(source.blobs, [
      { path: 'usr/lib/libc.so.6', content: 'theirs' },
      { path: 'lib', link: 'usr/lib' },
      { path: 'usr/bin/python3.13', content: 'python', mode: 0o755 },
      { path: 'usr/bin/python3', link: 'python3.13' },
      { path: 'etc/old', content: 'old' },
    ]),
    await writeLayer(source.blobs, [{ path: 'etc/.wh.old', content: '' }]),
  ]
  image = await writeImage(source.blobs, layers, {
    entrypoint: ['/usr/bin/python3'],
    env: { PATH: '/usr/bin', LANG: 'C.UTF-8' },
    workingDir: '/',
    user: '0:0',
    ports: [],
    labels: {},
  })
  source.tag('python:3.13', image)
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('parses references to registries, digests and layout folders', () => {
  expect(parseBaseReference('local')).toBeUndefined()
  expect(parseBaseReference('127.0.0.1:5000/team/node:24')).toEqual({
    type: 'registry',
    address: { registry: '127.0.0.1:5000', repository: 'team/node' },
    reference: '24',
  })
  const digest = `sha256:${'a'.repeat(64)}`
  expect(parseBaseReference(`localhost/node:24@${digest}`)).toMatchObject({ reference: digest })
  expect(parseBaseReference('localhost/node')).toMatchObject({ reference: 'latest' })
  expect(parseBaseReference('oci:/srv/layout:python:3.13')).toEqual({
    type: 'layout',
    directory: '/srv/layout',
    name: 'python:3.13',
  })
  for (const wrong of ['python:3.13', 'oci:layout', 'https://localhost/node', 'localhost/node@sha256:1', ''])
    expect(() => parseBaseReference(wrong)).toThrow('is not a base image')
})

test('pulls an image once, and keeps its layers, digest and variables', async () => {
  await using server = await startRegistry()
  await push(server)
  const layout = shared
  const base = await pull(server, layout)
  expect(base.layers.slice(0, 2).map(({ digest }) => digest)).toEqual(
    image.manifest.layers.map(({ digest }) => digest),
  )
  expect(base.origin).toEqual({
    name: `${server.host}/team/python:3.13`,
    digest: image.descriptor.digest,
    repository: { registry: server.host, repository: 'team/python' },
  })
  expect(base.env).toEqual({ PATH: '/usr/bin', LANG: 'C.UTF-8' })
  server.requests.length = 0
  await pull(server, layout)
  expect(server.requests.map(line => line.split(' ')[1])).toEqual(['/v2/team/python/manifests/3.13'])
  const pinned = parseBaseReference(`${server.host}/team/python@${image.descriptor.digest}`)!
  server.requests.length = 0
  await pulledBase(layout, pinned, { dockerConfig: undefined, signal: undefined })
  expect(server.requests).toEqual([])
})

test('adds this machine’s Node to an image without Node', async () => {
  const layout = shared
  const base = await pulledBase(layout, fromLayout(source.directory), {
    dockerConfig: undefined,
    signal: undefined,
  })
  expect([base.node, base.layers.length]).toEqual(['/usr/local/bin/node', 3])
  const added = list(layout, base.layers[2]!.digest)
  expect(added).toContain('usr/local/bin/node')
  expect(added.filter(path => /^lib(64)?\/?$/.test(path) && base.paths[path.replace('/', '')])).toEqual([])
  expect([
    findCommand(base, 'python3'),
    findCommand(base, '/usr/bin/python3'),
    findCommand(base, 'ruby'),
  ]).toEqual(['/usr/bin/python3', '/usr/bin/python3', undefined])
  expect(base.paths).not.toHaveProperty('etc/old')
  const server = await buildServerImage(layout, {
    name: 'notes',
    version: '1',
    base,
    app: [{ path: 'server.mjs', content: '' }],
  })
  const config = JSON.parse(layout.blobs.read(server.manifest.config.digest).toString())
  expect(config.config.Labels['org.opencontainers.image.base.digest']).toBe(image.descriptor.digest)
  expect(config.config.Env).toContain('LANG=C.UTF-8')
})

test('an image with a recent Node keeps it', async () => {
  const other = newLayout()
  const layer = await writeLayer(other.blobs, [{ path: 'opt/node/bin/node', content: 'node', mode: 0o755 }])
  const made = await writeImage(other.blobs, [layer], {
    ...run,
    env: { PATH: '/opt/node/bin', NODE_VERSION: '24.1.0' },
  })
  other.tag('node', made)
  const base = await pulledBase(newLayout(), fromLayout(other.directory), {
    dockerConfig: undefined,
    signal: undefined,
  })
  expect([base.node, base.layers.length]).toEqual(['/opt/node/bin/node', 1])
})

test('selects this machine’s platform, or reports the available ones', async () => {
  await using server = await startRegistry()
  await push(server)
  const index = (platforms: { architecture: string; os: string }[]) =>
    Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        manifests: platforms.map(platform => ({ ...image.descriptor, platform })),
      }),
    )
  server.manifests.set(
    'many',
    index([
      { architecture: 'mips', os: 'linux' },
      { architecture: architecture(), os: 'linux' },
    ]),
  )
  expect((await pull(server, shared, 'many')).origin!.digest).toBe(image.descriptor.digest)
  server.manifests.set('few', index([{ architecture: 'mips', os: 'plan9' }]))
  await expect(pull(server, newLayout(), 'few')).rejects.toMatchObject({
    code: 'UPSTREAM_FAILED',
    message: expect.stringContaining('Its variants: plan9/mips'),
  })
})

test('a layout with several images requires a name, and the error lists the names', async () => {
  const folder = join(directory, 'several')
  cpSync(source.directory, folder, { recursive: true })
  const layout = new Layout(folder)
  layout.tag('other', image)
  const open = (text: string) =>
    pulledBase(shared, parseBaseReference(text)!, { dockerConfig: undefined, signal: undefined })
  await expect(open(`oci:${folder}`)).rejects.toThrow('it has 2 images; named images: python:3.13, other')
  await expect(open(`oci:${folder}:none`)).rejects.toThrow('it has no image "none"')
  expect((await open(`oci:${folder}:other`)).origin!.digest).toBe(image.descriptor.digest)
  await expect(open(`oci:${directory}/nowhere`)).rejects.toThrow('cannot be read (ENOENT)')
})

describe('reports a registry with invalid content or broken connections, and keeps nothing of it', () => {
  const cases: [string, (server: SmallRegistry) => void, RegExp][] = [
    [
      'a manifest that is not JSON',
      server => manifest(server, Buffer.from('<html>')),
      /is not a JSON object/,
    ],
    ['a manifest that is a list', server => manifest(server, Buffer.from('[]')), /is not a JSON object/],
    ['an old manifest', server => manifest(server, { schemaVersion: 1 }), /schemaVersion is not 2/],
    [
      'an unknown media type',
      server => change(server, { mediaType: 'application/vnd.cncf.helm' }),
      /media type is "application\/vnd.cncf.helm"/,
    ],
    ['an image without layers', server => change(server, { layers: [] }), /must have 1 to 256 layers/],
    [
      'an image with a thousand layers',
      server => change(server, { layers: Array(1000).fill(image.manifest.layers[0]) }),
      /must have 1 to 256 layers/,
    ],
    [
      'a digest that is a path',
      server =>
        change(server, { layers: [{ ...image.manifest.layers[0], digest: 'sha256:../../etc/passwd' }] }),
      /must have 1 to 256 layers/,
    ],
    [
      'a negative size',
      server => change(server, { layers: [{ ...image.manifest.layers[0], size: -1 }] }),
      /must have 1 to 256 layers/,
    ],
    [
      'a layer of an unknown type',
      server => change(server, { layers: [{ ...image.manifest.layers[0], mediaType: 'text/plain' }] }),
      /is of the type "text\/plain"/,
    ],
    [
      'endless layers',
      server => change(server, { layers: [{ ...image.manifest.layers[0], size: 1e15 }] }),
      /more than 20000000000 bytes/,
    ],
    [
      'a manifest of five megabytes',
      server => manifest(server, Buffer.alloc(5_000_000, ' ')),
      /more than 4000000 bytes/,
    ],
    [
      'an endless manifest',
      server => server.respondWith(/manifests/, (_, response) => forever(response)),
      /more than 4000000 bytes/,
    ],
    ['a manifest with the wrong digest', server => change(server, {}, true), /instead of sha256/],
    ['endlessly nested indexes', server => nested(server), /nested too deeply/],
    ['blobs that do not exist', server => server.blobs.clear(), /has no blob sha256:.*: HTTP 404/],
    [
      'a blob with other content',
      server => server.blobs.set(layer(), Buffer.from('other')),
      /sent sha256:.* instead of the blob/,
    ],
    [
      'an endless blob',
      server => server.respondWith(/GET .*blobs/, (_, response) => forever(response)),
      /sent more than/,
    ],
    [
      'a truncated blob',
      server => server.respondWith(new RegExp(`GET .*${layer()}`), (_, response) => cut(response)),
      /did not respond/,
    ],
    [
      'endless redirects',
      server => server.respondWith(/blobs/, (request, response) => redirect(response, request.url!)),
      /redirects more than 5 times/,
    ],
    [
      'a redirect to a file',
      server => server.respondWith(/blobs/, (_, response) => redirect(response, 'file:///etc/passwd')),
      /not a web address/,
    ],
    [
      'a config for another processor',
      server => config(server, { architecture: 'mips' }),
      /is for linux\/mips/,
    ],
    [
      'a config with other layers',
      server => config(server, { rootfs: { diff_ids: [] } }),
      /does not match its 2 layers/,
    ],
    [
      'a config with a wrong digest of a layer',
      server => config(server, { rootfs: { diff_ids: Array(2).fill(`sha256:${'0'.repeat(64)}`) } }),
      /unpacks to sha256/,
    ],
    [
      'a layer with a path outside of the image',
      server => layerOf(server, tarGz([{ name: '../../etc/cron.d/x', content: 'x' }])),
      /outside of the image: "\.\.\/\.\.\/etc/,
    ],
    ['a layer that is no archive', server => layerOf(server, Buffer.from('no gzip')), /is damaged/],
    ['a layer that is cut', server => layerOf(server, gzipSync(Buffer.alloc(2000, 'x'))), /is damaged/],
    ['a token response without a token', server => tokens(server, '{}'), /did not issue a token/],
    ['a token response that is a page', server => tokens(server, '<html>'), /did not issue a token/],
    [
      'a sign-in elsewhere without encryption',
      server => realm(server, 'http://example.com/token'),
      /is not encrypted/,
    ],
    ['a sign-in that is no address', server => realm(server, 'file:///etc/passwd'), /not a web address/],
    [
      'an error page without an end',
      server => server.respondWith(/manifests/, (_, response) => forever(response, 500)),
      /HTTP 500/,
    ],
  ]
  test.each(cases)('rejects %s from a registry and keeps nothing', async (_name, respondWith, expected) => {
    await using server = await startRegistry()
    await push(server)
    respondWith(server)
    const layout = newLayout()
    const reference = server.manifests.has('pinned') ? `@${image.descriptor.digest}` : ':3.13'
    const pulled = pulledBase(layout, parseBaseReference(`${server.host}/team/python${reference}`)!, {
      dockerConfig: undefined,
      signal: undefined,
    })
    await expect(pulled).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      message: expect.stringMatching(expected),
    })
    for (const name of readdirSync(join(layout.directory, 'blobs', 'sha256'))) {
      expect(name).toMatch(/^[0-9a-f]{64}$/)
      const { path } = layout.blobs
      expect(digestOf(execFileSync('cat', [path.call(layout.blobs, `sha256:${name}`)]))).toBe(
        `sha256:${name}`,
      )
    }
    expect(readdirSync(layout.directory)).not.toContain('bases')
  })
})

const run = { entrypoint: ['/x'], env: {}, workingDir: '/', user: '0:0', ports: [], labels: {} }
const layer = () => image.manifest.layers[0]!.digest

function newLayout(): Layout {
  return new Layout(join(directory, `layout-${++count}`))
}

function fromLayout(folder: string) {
  return parseBaseReference(`oci:${folder}`)!
}

function push(server: SmallRegistry) {
  return pushImage(
    new Registry(parseRepository(`${server.host}/team/python`), {}),
    source.blobs,
    image,
    '3.13',
  )
}

function pull(server: SmallRegistry, layout: Layout, tag = '3.13') {
  const reference = parseBaseReference(`${server.host}/team/python:${tag}`)!
  return pulledBase(layout, reference, { dockerConfig: undefined, signal: undefined })
}

function manifest(server: SmallRegistry, content: Buffer | object): void {
  server.manifests.set('3.13', Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content)))
}

function change(server: SmallRegistry, changes: object, isPinned = false): void {
  manifest(server, { ...image.manifest, ...changes, extra: isPinned })
  if (!isPinned) return
  server.manifests.set('pinned', Buffer.from(''))
  server.manifests.set(image.descriptor.digest, server.manifests.get('3.13')!)
}

function nested(server: SmallRegistry): void {
  let inner = image.descriptor
  for (let depth = 0; depth < 4; depth++) {
    const platform = { os: 'linux', architecture: architecture() }
    const bytes = Buffer.from(
      JSON.stringify({ schemaVersion: 2, depth, manifests: [{ ...inner, platform }] }),
    )
    inner = { ...inner, digest: digestOf(bytes), size: bytes.length }
    for (const name of [inner.digest, '3.13']) server.manifests.set(name, bytes)
  }
}

/** Replaces the config by one with these members, and updates the manifest. */
function config(server: SmallRegistry, changes: object): void {
  const original = JSON.parse(source.blobs.read(image.manifest.config.digest).toString())
  change(server, {
    config: {
      ...image.manifest.config,
      ...put(server, Buffer.from(JSON.stringify({ ...original, ...changes }))),
    },
  })
}

function layerOf(server: SmallRegistry, bytes: Buffer): void {
  const [, second] = image.manifest.layers
  change(server, { layers: [{ ...image.manifest.layers[0], ...put(server, bytes) }, second] })
}

function put(server: SmallRegistry, bytes: Buffer): { digest: string; size: number } {
  const digest = digestOf(bytes)
  server.blobs.set(digest, bytes)
  return { digest, size: bytes.length }
}

function tokens(server: SmallRegistry, body: string): void {
  realm(server, `http://${server.host}/token`)
  server.respondWith(/token/, (_, response) => response.end(body))
}

function realm(server: SmallRegistry, address: string): void {
  server.respondWith(/manifests/, (_, response) =>
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${address}",service="x"` }).end(),
  )
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(307, { location }).end()
}

function forever(response: ServerResponse, status = 200): void {
  response.writeHead(status)
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(100_000)));
  }
  response.on('drain', more)
  more()
}

function cut(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': 10_000 })
  response.write('half', () => response.destroy())
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

function list(layout: Layout, digest: string): string[] {
  const file = join(directory, 'listed.tar.gz')
  writeFileSync(file, layout.blobs.read(digest))
  return execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).trim().split('\n')
}
