import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseBaseReference } from '../../../../src/daemon/builder/image/base-reference.ts'
import { architecture } from '../../../../src/daemon/builder/image/image.ts'
import { pulledBase } from '../../../../src/daemon/builder/image/pulled-base.ts'
import { tarGz } from '../../../helpers/archives.ts'
import { BaseImage } from './base-image.ts'
import { type SmallRegistry, startRegistry } from './small-registry.ts'

const origin = new BaseImage()

beforeAll(() => origin.write())
afterAll(() => origin[Symbol.dispose]())

describe('reports a registry with invalid content or broken connections, and keeps no base image', () => {
  const cases: [string, (server: SmallRegistry) => void, RegExp][] = [
    [
      'a manifest that is not JSON',
      server => manifest(server, Buffer.from('<html>')),
      /is not a JSON object/,
    ],
    ['a manifest that is a list', server => manifest(server, Buffer.from('[]')), /is not a JSON object/],
    [
      'a manifest in an obsolete format',
      server => manifest(server, { schemaVersion: 1 }),
      /schemaVersion is not 2/,
    ],
    [
      'an unknown media type',
      server => change(server, { mediaType: 'application/vnd.cncf.helm' }),
      /media type is "application\/vnd.cncf.helm"/,
    ],
    ['an image without layers', server => change(server, { layers: [] }), /must have 1 to 256 layers/],
    [
      'an image with a thousand layers',
      server => change(server, { layers: Array(1000).fill(origin.image.manifest.layers[0]) }),
      /must have 1 to 256 layers/,
    ],
    [
      'a digest that is a path',
      server =>
        change(server, {
          layers: [{ ...origin.image.manifest.layers[0], digest: 'sha256:../../etc/passwd' }],
        }),
      /must have 1 to 256 layers/,
    ],
    [
      'a negative size',
      server => change(server, { layers: [{ ...origin.image.manifest.layers[0], size: -1 }] }),
      /must have 1 to 256 layers/,
    ],
    [
      'a layer with an unknown type',
      server => change(server, { layers: [{ ...origin.image.manifest.layers[0], mediaType: 'text/plain' }] }),
      /has the unsupported type "text\/plain"/,
    ],
    [
      'endless layers',
      server => change(server, { layers: [{ ...origin.image.manifest.layers[0], size: 1e15 }] }),
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
      'an internal error instead of a blob',
      server => server.failNext(/GET .*blobs/, 500),
      /did not return blob sha256:.*: HTTP 500/,
    ],
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
      /not a web URL/,
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
      'a config with a wrong layer digest',
      server => config(server, { rootfs: { diff_ids: Array(2).fill(`sha256:${'0'.repeat(64)}`) } }),
      /unpacks to sha256/,
    ],
    [
      'a layer with a path outside the image',
      server => layerOf(server, tarGz([{ name: '../../etc/cron.d/x', content: 'x' }])),
      /outside the image: "\.\.\/\.\.\/etc/,
    ],
    ['a layer that is not an archive', server => layerOf(server, Buffer.from('no gzip')), /is damaged/],
    ['a truncated layer', server => layerOf(server, gzipSync(Buffer.alloc(2000, 'x'))), /is damaged/],
    ['a token response without a token', server => tokens(server, '{}'), /did not issue a token/],
    ['a token response that is an HTML page', server => tokens(server, '<html>'), /did not issue a token/],
    [
      'a sign-in URL on another host without encryption',
      server => realm(server, 'http://example.com/token'),
      /is not encrypted/,
    ],
    ['a sign-in URL that is a file', server => realm(server, 'file:///etc/passwd'), /not a web URL/],
    [
      'an endless error page',
      server => server.respondWith(/manifests/, (_, response) => forever(response, 500)),
      /HTTP 500/,
    ],
  ]
  test.each(cases)('rejects %s from a registry and keeps no base', async (_name, respondWith, expected) => {
    await using server = await startRegistry()
    await origin.push(server)
    respondWith(server)
    const layout = origin.newLayout()
    const reference = server.manifests.has('pinned') ? `@${origin.image.descriptor.digest}` : ':3.13'
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

const layer = () => origin.image.manifest.layers[0]!.digest

function manifest(server: SmallRegistry, content: Buffer | object): void {
  server.manifests.set('3.13', Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content)))
}

function change(server: SmallRegistry, changes: object, isPinned = false): void {
  manifest(server, { ...origin.image.manifest, ...changes, extra: isPinned })
  if (!isPinned) return
  server.manifests.set('pinned', Buffer.from(''))
  server.manifests.set(origin.image.descriptor.digest, server.manifests.get('3.13')!)
}

function nested(server: SmallRegistry): void {
  let inner = origin.image.descriptor
  for (let depth = 0; depth < 4; depth++) {
    const platform = { os: 'linux', architecture: architecture() }
    const bytes = Buffer.from(
      JSON.stringify({ schemaVersion: 2, depth, manifests: [{ ...inner, platform }] }),
    )
    inner = { ...inner, digest: digestOf(bytes), size: bytes.length }
    for (const name of [inner.digest, '3.13']) server.manifests.set(name, bytes)
  }
}

/** Changes these members of the config, and updates the manifest. */
function config(server: SmallRegistry, changes: object): void {
  const original = JSON.parse(origin.source.blobs.read(origin.image.manifest.config.digest).toString())
  change(server, {
    config: {
      ...origin.image.manifest.config,
      ...put(server, Buffer.from(JSON.stringify({ ...original, ...changes }))),
    },
  })
}

function layerOf(server: SmallRegistry, bytes: Buffer): void {
  const [, second] = origin.image.manifest.layers
  change(server, { layers: [{ ...origin.image.manifest.layers[0], ...put(server, bytes) }, second] })
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

function realm(server: SmallRegistry, url: string): void {
  server.respondWith(/manifests/, (_, response) =>
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${url}",service="x"` }).end(),
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
