import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { baseKey } from '../../../src/daemon/builder/image/base-layer.ts'
import { type Manifest, writeImage } from '../../../src/daemon/builder/image/image.ts'
import { type LayerEntry, writeLayer } from '../../../src/daemon/builder/image/layer.ts'
import { Layout } from '../../../src/daemon/builder/image/layout.ts'
import { findInLayout } from '../../../src/daemon/builder/image/pull.ts'
import { pulledBase } from '../../../src/daemon/builder/image/pulled-base.ts'
import { copyPrepared } from './prepared-layout.ts'

const PYTHON = '/usr/bin/python3'

const RUN = {
  entrypoint: [PYTHON],
  env: { PATH: '/usr/bin', PYTHONDONTWRITEBYTECODE: '1' },
  workingDir: '/',
  user: '0:0',
  ports: [],
  labels: {},
}

/** True when the distribution's Python, from which images can be made, is installed. */
export const HAS_PYTHON = existsSync(PYTHON) && existsSync('/usr/bin/ldd')

/** Name of the Python image with the Node layer that a build adds to Python-based images. */
const WITH_NODE = 'python-node:3'

/**
 * Writes an OCI layout with images of this machine's Python, `python:3` without Node and `python-node:3` with it. Tests have no
 * access to public registries.
 */
export function makePythonBase(directory: string): Promise<void> {
  return copyPrepared('python', pythonKey(), directory, packPython)
}

/** Adds the packed Node for Python-based images to an image folder. Packing it takes three seconds of processor time. */
export async function seedPythonNode(layout: string, images: string): Promise<void> {
  const { blobs } = new Layout(layout)
  const { layers } = JSON.parse(blobs.read(await findInLayout(layout, WITH_NODE)).toString()) as Manifest
  const blob = join('blobs', layers.at(-1)!.digest.replace(':', '/'))
  for (const path of ['bases', blob]) cpSync(join(layout, path), join(images, path), { recursive: true })
}

/** Key that changes with Python and Node. */
export function pythonKey(): string {
  const { mtimeMs, size } = statSync(PYTHON)
  return `${mtimeMs} ${size} ${baseKey()}`
}

async function packPython(directory: string): Promise<void> {
  const layout = new Layout(directory)
  const library = execFileSync(PYTHON, ['-c', 'import json; print(json.__file__)'], { encoding: 'utf8' })
  const folder = join(library.trim(), '..', '..')
  const layers = [
    await writeLayer(layout.blobs, [
      { path: PYTHON.slice(1), file: realpathSync(PYTHON), mode: 0o755 },
      ...sharedLibraries().map(path => ({ path: path.slice(1), file: realpathSync(path), mode: 0o755 })),
    ]),
    await writeLayer(layout.blobs, filesOf(folder)),
  ]
  layout.tag('python:3', await writeImage(layout.blobs, layers, RUN))
  const base = await pulledBase(
    layout,
    { type: 'layout', directory, name: 'python:3' },
    { dockerConfig: undefined, signal: undefined },
  )
  layout.tag(WITH_NODE, await writeImage(layout.blobs, base.layers, RUN))
}

function sharedLibraries(): string[] {
  const listed = execFileSync('ldd', [realpathSync(PYTHON)], { encoding: 'utf8' })
  return [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path!)
}

function filesOf(folder: string): LayerEntry[] {
  const unneeded =
    /(^|\/)(test|tests|__pycache__|dist-packages|site-packages|idlelib|ensurepip|lib2to3|pydoc_data|config-[^/]*)(\/|$)/
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter(path => !unneeded.test(path.slice(folder.length)))
    .map(path => ({
      path: path.slice(1),
      content: readFileSync(path),
      mode: path.includes('.so') ? 0o755 : 0o644,
    }))
}
