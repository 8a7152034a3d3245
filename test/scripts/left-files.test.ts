import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { BuildRecord } from '../../scripts/kill-builds/daemon-life.ts'
import { brokenImages } from '../../scripts/kill-builds/left-files.ts'

test('reports missing blobs of images', () => {
  const home = mkdtempSync(join(tmpdir(), 'mcp-images-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const blobs = join(home, 'images', 'blobs', 'sha256')
  mkdirSync(blobs, { recursive: true })
  const put = (text: string) => {
    const hash = createHash('sha256').update(text).digest('hex')
    writeFileSync(join(blobs, hash), text)
    return { digest: `sha256:${hash}`, size: text.length }
  }
  const config = put('config')
  const layer = put('layer')
  const manifest = put(JSON.stringify({ config, layers: [layer] }))
  writeFileSync(join(home, 'images', 'index.json'), JSON.stringify({ manifests: [manifest] }))
  const records = [{ id: 'b1', status: 'succeeded', imageDigest: manifest.digest }] as BuildRecord[]
  const remove = ({ digest }: { digest: string }) => rmSync(join(blobs, digest.slice(7)))

  expect(brokenImages(home, records)).toEqual([])
  remove(layer)
  expect(brokenImages(home, records)).toEqual([`b1: ${layer.digest} is missing`])
  remove(manifest)
  expect(brokenImages(home, records)).toEqual([`b1: its manifest ${manifest.digest} is missing or damaged`])
})
