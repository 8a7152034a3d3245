import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createProjectFolder } from '../daemon/project-folder.ts'

/** A registry with one package, version 1.0.0. */
export interface NpmRegistry {
  /** For npm's option `registry`. */
  address: string
  /** Archive of the package. */
  url: string
  integrity: string
  /** Downloads of the archive. */
  requests: number
  close(): void
}

/** Serves `tiny`, which exports 42, or a package with these fields and files. */
export async function startRegistry(
  fields: { name: string; [field: string]: unknown } = TINY,
  files: Record<string, string> = { 'index.js': 'module.exports = 42' },
): Promise<NpmRegistry> {
  const manifest = { version: '1.0.0', ...fields }
  const archive = packPackage(manifest, files)
  const server = createServer((request, response) => {
    const isArchive = request.url!.endsWith('.tgz')
    if (isArchive) registry.requests++
    response.end(isArchive ? archive : JSON.stringify(packageDocument(manifest, registry)))
  })
  const address = `http://127.0.0.1:${await listen(server)}`
  const registry: NpmRegistry = {
    address,
    url: `${address}/${fields.name}/-/${fields.name}-1.0.0.tgz`,
    integrity: `sha512-${createHash('sha512').update(archive).digest('base64')}`,
    requests: 0,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  return registry
}

/** What a registry tells about a package. */
function packageDocument(manifest: { name: string; version: string }, { url, integrity }: NpmRegistry) {
  const { name, version } = manifest
  const versions = { [version]: { ...manifest, dist: { tarball: url, integrity } } }
  return { name, 'dist-tags': { latest: version }, versions }
}

/** The assigned port. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const MANIFEST = { dependencies: { tiny: '1.0.0' }, devDependencies: { other: '^2.0.0' } }

/** `package.json` and `package-lock.json` of a project that depends on the package. `entry`: extra fields in the lock file. */
export function filesWithDependency(
  { url, integrity }: Pick<NpmRegistry, 'url' | 'integrity'>,
  entry: object = {},
): Record<string, string> {
  const packages = {
    '': MANIFEST,
    'node_modules/tiny': { version: '1.0.0', resolved: url, integrity, hasInstallScript: true, ...entry },
    'node_modules/other': { version: '2.0.0', resolved: `${url}-other`, integrity: 'sha512-AA==', dev: true },
  }
  return {
    'package.json': JSON.stringify(MANIFEST),
    'package-lock.json': JSON.stringify({ lockfileVersion: 3, requires: true, packages }),
  }
}

const TINY = {
  name: 'tiny',
  main: 'index.js',
  scripts: { postinstall: "node -e \"require('fs').writeFileSync('ran', '')\"" },
}

function packPackage(manifest: object, files: Record<string, string>): Buffer {
  const all = { 'package.json': JSON.stringify(manifest), ...files }
  using folder = createProjectFolder(
    Object.fromEntries(Object.entries(all).map(([name, content]) => [`package/${name}`, content])),
  )
  return execFileSync('tar', ['-czf', '-', '-C', folder.path, 'package'])
}
