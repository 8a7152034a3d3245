import { execFileSync } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NODE, rememberedLayer } from '../../../src/daemon/builder/image/base.ts'
import { baseEntries, baseKey } from '../../../src/daemon/builder/image/base-layer.ts'
import { writeImage } from '../../../src/daemon/builder/image/image.ts'
import { Layout } from '../../../src/daemon/builder/image/layout.ts'
import { preparedFolder } from '../prepared-folder.ts'
import { writeEngineSettings } from './engine-settings.ts'
import { seedNodeBase } from './node-base.ts'
import { imageKey } from './prepared-layout.ts'
import { HAS_PYTHON, makePythonBase, pythonKey } from './python-base.ts'

/** Name of the Python image in the store. */
export const PYTHON_BASE = 'localhost/python'

/**
 * Folder with an image store of podman that has the packed Node and Python of this machine, for `additionalimagestores`. An
 * engine that finds the layers there unpacks nothing. Unpacking Node takes three seconds of processor time.
 */
export function baseStore(): Promise<string> {
  const version = execFileSync('podman', ['--version'], { encoding: 'utf8' })
  const key = JSON.stringify([version, baseKey(), HAS_PYTHON && pythonKey()])
  return preparedFolder('engine', imageKey(key), fillStore)
}

async function fillStore(store: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'mcp-store-'))
  try {
    const env = { ...process.env, ...writeEngineSettings(work) }
    const pull = (image: string) =>
      execFileSync('podman', ['--root', store, 'pull', '--quiet', `oci:${image}`], {
        cwd: work,
        env,
        stdio: 'pipe',
      })
    await seedNodeBase(join(work, 'node'))
    await tagNode(new Layout(join(work, 'node')))
    pull('node:node:1')
    if (HAS_PYTHON) {
      await makePythonBase(join(work, 'python'))
      for (const name of ['python:3', 'python-node:3']) pull(`python:${name}`)
    }
    // Only root could remove a folder without write permission.
    for (const layer of globSync(`${store}/overlay/*/diff`)) chmodSync(layer, 0o755)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function tagNode(layout: Layout): Promise<void> {
  const layer = await rememberedLayer(layout, baseKey(), baseEntries)
  const run = { entrypoint: [`/${NODE}`], env: {}, workingDir: '/', user: '0:0', ports: [], labels: {} }
  layout.tag('node:1', await writeImage(layout.blobs, [layer], run))
}
