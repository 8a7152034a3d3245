import { execFileSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findCommand } from '../../../../src/daemon/builder/image/base.ts'
import { parseBaseReference } from '../../../../src/daemon/builder/image/base-reference.ts'
import { architecture, writeImage } from '../../../../src/daemon/builder/image/image.ts'
import { writeLayer } from '../../../../src/daemon/builder/image/layer.ts'
import { Layout } from '../../../../src/daemon/builder/image/layout.ts'
import { pulledBase } from '../../../../src/daemon/builder/image/pulled-base.ts'
import { buildServerImage } from '../../../../src/daemon/builder/image/server-image.ts'
import { BaseImage } from './base-image.ts'
import { type SmallRegistry, startRegistry } from './small-registry.ts'

const origin = new BaseImage()

beforeAll(() => origin.write())
afterAll(() => origin[Symbol.dispose]())

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
  await origin.push(server)
  const layout = origin.shared
  const base = await pull(server, layout)
  expect(base.layers.slice(0, 2).map(({ digest }) => digest)).toEqual(
    origin.image.manifest.layers.map(({ digest }) => digest),
  )
  expect(base.origin).toEqual({
    name: `${server.host}/team/python:3.13`,
    digest: origin.image.descriptor.digest,
    repository: { registry: server.host, repository: 'team/python' },
  })
  expect(base.env).toEqual({ PATH: '/usr/bin', LANG: 'C.UTF-8' })
  server.requests.length = 0
  await pull(server, layout)
  expect(server.requests.map(line => line.split(' ')[1])).toEqual(['/v2/team/python/manifests/3.13'])
  const pinned = parseBaseReference(`${server.host}/team/python@${origin.image.descriptor.digest}`)!
  server.requests.length = 0
  await pulledBase(layout, pinned, { dockerConfig: undefined, signal: undefined })
  expect(server.requests).toEqual([])
})

test("adds this machine's Node to an image without Node", async () => {
  const layout = origin.shared
  const base = await pulledBase(layout, fromLayout(origin.source.directory), {
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
  expect(config.config.Labels['org.opencontainers.image.base.digest']).toBe(origin.image.descriptor.digest)
  expect(config.config.Env).toContain('LANG=C.UTF-8')
})

test('an image with a recent Node keeps it', async () => {
  const other = origin.newLayout()
  const layer = await writeLayer(other.blobs, [{ path: 'opt/node/bin/node', content: 'node', mode: 0o755 }])
  const made = await writeImage(other.blobs, [layer], {
    ...run,
    env: { PATH: '/opt/node/bin', NODE_VERSION: '24.1.0' },
  })
  other.tag('node', made)
  const base = await pulledBase(origin.newLayout(), fromLayout(other.directory), {
    dockerConfig: undefined,
    signal: undefined,
  })
  expect([base.node, base.layers.length]).toEqual(['/opt/node/bin/node', 1])
})

test("selects this machine's platform, or reports the available ones", async () => {
  await using server = await startRegistry()
  await origin.push(server)
  const index = (platforms: { architecture: string; os: string }[]) =>
    Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        manifests: platforms.map(platform => ({ ...origin.image.descriptor, platform })),
      }),
    )
  server.manifests.set(
    'many',
    index([
      { architecture: 'mips', os: 'linux' },
      { architecture: architecture(), os: 'linux' },
    ]),
  )
  expect((await pull(server, origin.shared, 'many')).origin!.digest).toBe(origin.image.descriptor.digest)
  server.manifests.set('few', index([{ architecture: 'mips', os: 'plan9' }]))
  await expect(pull(server, origin.newLayout(), 'few')).rejects.toMatchObject({
    code: 'UPSTREAM_FAILED',
    message: expect.stringContaining('Its variants: plan9/mips'),
  })
})

test('a layout with several images requires a name, and the error lists the names', async () => {
  const folder = join(origin.directory, 'several')
  cpSync(origin.source.directory, folder, { recursive: true })
  const layout = new Layout(folder)
  layout.tag('other', origin.image)
  const open = (text: string) =>
    pulledBase(origin.shared, parseBaseReference(text)!, { dockerConfig: undefined, signal: undefined })
  await expect(open(`oci:${folder}`)).rejects.toThrow('it has 2 images; named images: python:3.13, other')
  await expect(open(`oci:${folder}:none`)).rejects.toThrow('it has no image "none"')
  expect((await open(`oci:${folder}:other`)).origin!.digest).toBe(origin.image.descriptor.digest)
  await expect(open(`oci:${origin.directory}/nowhere`)).rejects.toThrow('cannot be read (ENOENT)')
})

const run = { entrypoint: ['/x'], env: {}, workingDir: '/', user: '0:0', ports: [], labels: {} }

function fromLayout(folder: string) {
  return parseBaseReference(`oci:${folder}`)!
}

function pull(server: SmallRegistry, layout: Layout, tag = '3.13') {
  const reference = parseBaseReference(`${server.host}/team/python:${tag}`)!
  return pulledBase(layout, reference, { dockerConfig: undefined, signal: undefined })
}

function list(layout: Layout, digest: string): string[] {
  const file = join(origin.directory, 'listed.tar.gz')
  writeFileSync(file, layout.blobs.read(digest))
  return execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).trim().split('\n')
}
