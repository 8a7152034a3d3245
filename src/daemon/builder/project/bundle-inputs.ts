import type { Metafile } from 'esbuild'
import { HostingError } from '../../../shared/errors.ts'

/** Packages that load native addons. */
const ADDON_LOADERS = [
  'bindings',
  'detect-libc',
  'node-gyp-build',
  'node-pre-gyp',
  '@mapbox/node-pre-gyp',
  'prebuild-install',
]

/**
 * Throws INVALID_MCP for a file outside the project, which the author of the source may not read, and for native addons, which a
 * sandboxed process cannot load. `inputs`: by esbuild's paths, relative to the project.
 */
export function requireInside(inputs: Metafile['inputs']): void {
  for (const input of Object.keys(inputs)) {
    if (!isInside(input)) throw outsideError(input, importOf(input, inputs))
    const loader = ADDON_LOADERS.find(name => input.includes(`node_modules/${name}/`))
    if (loader) throw nativeAddon(importerOf(loader, inputs) ?? loader)
  }
}

/** True for an esbuild path inside the project. */
export function isInside(path: string): boolean {
  return !/^(?:\.\.|\/|[A-Za-z]:)/.test(path)
}

function importerOf(loader: string, inputs: Metafile['inputs']): string | undefined {
  const isLoader = (path: string) => path.includes(`node_modules/${loader}/`)
  const [importer] =
    Object.entries(inputs).find(
      ([path, { imports }]) => !isLoader(path) && imports.some(one => isLoader(one.path)),
    ) ?? []
  return importer && packageOf(importer)
}

/** Name of the package in the innermost `node_modules`. */
export function packageOf(path: string): string | undefined {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]
}

/** For example `tools/add.ts imports "../key.json".` */
function importOf(input: string, inputs: Metafile['inputs']): string | undefined {
  for (const [importer, { imports }] of Object.entries(inputs)) {
    const found = imports.find(({ path }) => path === input)
    if (found) return `${importer} imports ${JSON.stringify(found.original ?? input)}.`
  }
  return undefined
}

export function outsideError(input: string, found?: string): HostingError {
  const packageName = packageOf(input)
  const what = packageName ? `the package "${packageName}"` : 'a file'
  return new HostingError('INVALID_MCP', `The source imports ${what} outside the project.`, {
    details: packageName
      ? 'Add it to "dependencies" in package.json and commit package-lock.json (npm install --package-lock-only).'
      : [found, 'Only files in the project and packages in its lock file can be bundled.']
          .filter(Boolean)
          .join('\n'),
  })
}

export function nativeAddon(what: string): HostingError {
  return new HostingError(
    'INVALID_MCP',
    `The source needs a native addon (${what}), which a handler module cannot load: its process runs under Node's permission model.`,
    {
      details: 'Use a package without native parts, or host the server as a program: mcp deploy --command.',
    },
  )
}
