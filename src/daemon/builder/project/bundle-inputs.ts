import { HostingError } from '../../../shared/errors.ts'

/** Packages that only load a binary of the machine they were compiled for. */
const ADDON_LOADERS = [
  'bindings',
  'node-gyp-build',
  'node-pre-gyp',
  '@mapbox/node-pre-gyp',
  'prebuild-install',
]

/**
 * `inputs`: paths as esbuild names them, relative to the project. Throws INVALID_MCP for a file outside of it, which
 * nobody who sent this source may read, and for packages with native parts, which a sandboxed process may not load.
 */
export function requireInside(inputs: readonly string[]): void {
  for (const input of inputs) {
    if (input.startsWith('..') || input.startsWith('/') || /^[A-Za-z]:/.test(input)) throw outside(input)
    const loader = ADDON_LOADERS.find(name => input.includes(`node_modules/${name}/`))
    if (loader) throw nativeAddon(loader)
  }
}

function outside(input: string): HostingError {
  const packageName = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1]
  const what = packageName ? `the package "${packageName}"` : 'a file'
  return new HostingError('INVALID_MCP', `The source imports ${what} from outside of the project.`, {
    details: packageName
      ? 'Add it to "dependencies" in package.json and commit package-lock.json (npm install --package-lock-only).'
      : 'Only files of the project and packages of its lock file can be bundled.',
  })
}

export function nativeAddon(what: string): HostingError {
  return new HostingError(
    'INVALID_MCP',
    `The source needs a native addon (${what}), which a handler module cannot load: its process runs under Node's permission model.`,
    {
      details:
        'Take a package without native parts (node:sqlite instead of better-sqlite3, say), or host it as a program of its own: mcp deploy --command.',
    },
  )
}
