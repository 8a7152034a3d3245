import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createProjectFolder } from '../daemon/project-folder.ts'

/** A registry with one package, `tiny` 1.0.0, which exports 42. */
export interface NpmRegistry {
  /** URL of the package's archive. */
  url: string
  integrity: string
  requests: number
  close(): void
}

export async function startRegistry(): Promise<NpmRegistry> {
  const archive = packTiny()
  const server = createServer((_request, response) => {
    registry.requests++
    response.end(archive)
  })
  const registry: NpmRegistry = {
    url: `http://127.0.0.1:${await listen(server)}/tiny/-/tiny-1.0.0.tgz`,
    integrity: integrityOf(archive),
    requests: 0,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  return registry
}

/** Starts listening on loopback. Returns the assigned port. */
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

function packTiny(): Buffer {
  const manifest = {
    name: 'tiny',
    version: '1.0.0',
    main: 'index.js',
    scripts: { postinstall: "node -e \"require('fs').writeFileSync('ran', '')\"" },
  }
  return pack({ 'package.json': JSON.stringify(manifest), 'index.js': 'module.exports = 42' })
}

/** Archive of a package as npm publishes it. */
function pack(files: Record<string, string>): Buffer {
  const entries = Object.entries(files).map(([name, content]) => [`package/${name}`, content])
  using folder = createProjectFolder(Object.fromEntries(entries))
  return execFileSync('tar', ['-czf', '-', '-C', folder.path, 'package'])
}

/** Starts a registry that `npx -y <name>` can use. Its only package runs the script. */
export async function startScriptRegistry(
  name: string,
  script: string,
): Promise<{ url: string } & Disposable> {
  const manifest = { name, version: '1.0.0', bin: 'script.mjs' }
  const archive = pack({
    'package.json': JSON.stringify(manifest),
    'script.mjs': `#!/usr/bin/env node\n${script}`,
  })
  const server = createServer((request, response) => {
    if (request.url === '/archive') return response.end(archive)
    const version = { ...manifest, dist: { tarball: `${url}archive`, integrity: integrityOf(archive) } }
    return response.end(
      JSON.stringify({ name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }),
    )
  })
  const url = `http://127.0.0.1:${await listen(server)}/`
  return { url, [Symbol.dispose]: () => void server.close().closeAllConnections() }
}

function integrityOf(archive: Buffer): string {
  return `sha512-${createHash('sha512').update(archive).digest('base64')}`
}
