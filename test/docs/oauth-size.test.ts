import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { runEsbuild } from '../../src/daemon/builder/project/run-esbuild.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(`${root}/docs/oauth.md`, 'utf8')
const size = page.slice(page.indexOf('## Size'), page.indexOf('## Speed'))

/** True within 5 %, so that small changes do not require another number on the page. */
const isAbout = (stated: string | undefined, bytes: number) =>
  Math.abs(Number(stated) * 1000 - bytes) < 0.05 * bytes

test('docs/oauth.md states the size of the packed component, and how much of it is our own code', async () => {
  const [, whole, compressed, own] = /`dist\/oauth\.js`: (\d+) KB, (\d+) KB compressed[^.]*\. (\d+) KB/.exec(
    size,
  )!
  const bundle = readFileSync(`${root}/dist/oauth.js`)
  expect(isAbout(whole, bundle.length), `it has ${bundle.length} bytes`).toBe(true)
  const gzipped = gzipSync(bundle).length
  expect(isAbout(compressed, gzipped), `it has ${gzipped} bytes compressed`).toBe(true)
  const parts = await bytesByPackage()
  expect(isAbout(own, parts.get('own')!), `${parts.get('own')} bytes are its own`).toBe(true)
})

test('docs/oauth.md names every bundled package, and the one that is loaded on demand', async () => {
  const packages = [...(await bytesByPackage()).keys()].filter(name => name !== 'own')
  const named = [...size.matchAll(/`([a-z][a-z0-9-]+)`/g)].map(([, name]) => name)
  expect(named.sort()).toEqual([...packages, 'better-sqlite3'].sort())
})

/** Bytes of the bundle by package. `own` is the component itself. */
async function bytesByPackage(): Promise<Map<string, number>> {
  const { metafile } = await runEsbuild({
    absWorkingDir: root,
    entryPoints: ['src/sdk/oauth/main.ts'],
    bundle: true,
    write: false,
    metafile: true,
    outdir: 'dist',
    platform: 'node',
    format: 'esm',
    target: 'node22.19',
    external: ['better-sqlite3'],
  })
  const parts = new Map<string, number>()
  for (const [file, { bytesInOutput }] of Object.entries(Object.values(metafile!.outputs)[0]!.inputs)) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? 'own'
    parts.set(name, (parts.get(name) ?? 0) + bytesInOutput)
  }
  return parts
}
