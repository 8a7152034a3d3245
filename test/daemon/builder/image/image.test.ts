import { execFileSync } from 'node:child_process'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { imageArchive } from '../../../../src/daemon/builder/image/archive.ts'
import { localBase } from '../../../../src/daemon/builder/image/base.ts'
import type { LayerEntry } from '../../../../src/daemon/builder/image/layer.ts'
import { writeLayer } from '../../../../src/daemon/builder/image/layer.ts'
import { Layout } from '../../../../src/daemon/builder/image/layout.ts'
import { buildServerImage } from '../../../../src/daemon/builder/image/server-image.ts'
import { seedNodeBase } from '../../../helpers/containers/node-base.ts'

const directory = mkdtempSync(join(tmpdir(), 'mcp-image-'))
// Reuses the packed Node from an earlier run, unless Node or the code that packs it has changed.
beforeAll(() => seedNodeBase(join(directory, 'layout')))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const app: LayerEntry[] = [{ path: 'server.mjs', content: 'console.log("hi")\n' }]
const input = { name: 'weather', version: '1.0.0', app }
const build = async (layout: Layout, changes: { app?: LayerEntry[] } = {}) =>
  buildServerImage(layout, { ...input, base: await localBase(layout), ...changes })

test('the same files result in the same layer, in any order and folder', async () => {
  const entries: LayerEntry[] = [
    { path: 'b/long/'.padEnd(180, 'x'), content: 'one' },
    { path: 'a', content: 'two', mode: 0o755 },
    { path: 'link', link: 'a' },
  ]
  const [first, second] = await Promise.all([
    writeLayer(new Layout(join(directory, '1')).blobs, entries),
    writeLayer(new Layout(join(directory, '2')).blobs, entries.toReversed()),
  ])
  expect(first).toEqual(second)
})

test('a layer contains its entries and their parent folders, owned by root, with a constant time', async () => {
  const layout = new Layout(join(directory, 'listed'))
  const { digest } = await writeLayer(layout.blobs, [{ path: 'app/run', content: 'x', mode: 0o755 }])
  const listing = execFileSync('tar', ['-tvzf', layout.blobs.path(digest), '--numeric-owner'], {
    encoding: 'utf8',
    env: { TZ: 'UTC', PATH: process.env.PATH },
  })
  expect(listing).toMatch(/^drwxr-xr-x 0\/0 +0 1970-01-01 00:00 app\/?$/m)
  expect(listing).toMatch(/^-rwxr-xr-x 0\/0 +1 1970-01-01 00:00 app\/run$/m)
})

test('finds an image by its name, and two builds have the same base layer', async () => {
  const layout = new Layout(join(directory, 'layout'))
  const image = await build(layout)
  layout.tag('weather:1.0.0', image)
  expect(layout.find('weather:1.0.0')).toEqual(image)
  const changed = await build(layout, {
    app: [{ path: 'server.mjs', content: 'changed' }],
  })
  expect(changed.manifest.layers[0]).toEqual(image.manifest.layers[0])
  expect(changed.descriptor.digest).not.toBe(image.descriptor.digest)
  layout.untag('weather:1.0.0')
  expect(layout.find('weather:1.0.0')).toBeUndefined()
})

test('the base runs Node without any files of the machine', async () => {
  const layout = new Layout(join(directory, 'layout'))
  const { manifest } = await build(layout)
  const root = join(directory, 'root')
  execFileSync('mkdir', ['-p', root])
  for (const { digest } of manifest.layers)
    execFileSync('tar', ['-xzf', layout.blobs.path(digest), '-C', root])
  const loader = execFileSync(
    'sh',
    ['-c', `ls ${root}/lib*/ld-linux-* ${root}/usr/lib*/ld-linux-* 2>/dev/null | head -1`],
    { encoding: 'utf8' },
  ).trim()
  const libraries = execFileSync('sh', ['-c', `dirname $(find ${root} -name libc.so.6)`], {
    encoding: 'utf8',
  }).trim()
  const output = execFileSync(
    loader,
    ['--library-path', libraries, `${root}/usr/local/bin/node`, `${root}/app/server.mjs`],
    { encoding: 'utf8' },
  )
  expect(output).toBe('hi\n')
})

test('reports a damaged blob', async () => {
  const layout = new Layout(join(directory, 'damaged'))
  const blob = await layout.blobs.put('text/plain', Buffer.from('good'))
  execFileSync('sh', ['-c', `printf bad! > ${layout.blobs.path(blob.digest)}`])
  expect(() => layout.blobs.read(blob.digest)).toThrow('is damaged')
})

test('an archive contains an OCI layout and the manifest for older versions of Docker', async () => {
  const layout = new Layout(join(directory, 'layout'))
  const image = await build(layout)
  const path = join(directory, 'weather.tar')
  await pipeline(imageArchive(layout, image, 'weather:1.0.0'), createWriteStream(path))
  const read = (name: string) => JSON.parse(execFileSync('tar', ['-xOf', path, name], { encoding: 'utf8' }))
  expect(read('index.json').manifests[0].digest).toBe(image.descriptor.digest)
  expect(read('manifest.json')).toEqual([
    {
      Config: `blobs/${image.manifest.config.digest.replace(':', '/')}`,
      RepoTags: ['weather:1.0.0'],
      Layers: image.manifest.layers.map(({ digest }) => `blobs/${digest.replace(':', '/')}`),
    },
  ])
})
