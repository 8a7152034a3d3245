import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { writeImage } from '../../../src/daemon/builder/image/image.ts'
import { type LayerEntry, writeLayer } from '../../../src/daemon/builder/image/layer.ts'
import { Layout } from '../../../src/daemon/builder/image/layout.ts'
import { copyPrepared } from './prepared-layout.ts'

const PYTHON = '/usr/bin/python3'

/** True when the distribution's Python, from which images can be made, is installed. */
export const HAS_PYTHON = existsSync(PYTHON) && existsSync('/usr/bin/ldd')

/** Writes an OCI layout with an image of this machine's Python, `python:3`. Tests have no access to public registries. */
export function makePythonBase(directory: string): Promise<void> {
  return copyPrepared('python', pythonKey(), directory, packPython)
}

/** Changes with Python. */
export function pythonKey(): string {
  const { mtimeMs, size } = statSync(PYTHON)
  return `${mtimeMs} ${size}`
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
  const image = await writeImage(layout.blobs, layers, {
    entrypoint: [PYTHON],
    env: { PATH: '/usr/bin', PYTHONDONTWRITEBYTECODE: '1' },
    workingDir: '/',
    user: '0:0',
    ports: [],
    labels: {},
  })
  layout.tag('python:3', image)
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
