import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createProjectFolder } from '../daemon/project-folder.ts'

/** A registry with one package, `tiny` 1.0.0, which exports 42. */
export interface NpmRegistry {
  /** Base URL. */
  url: string
  integrity: string
  requests: number
  close(): void
}

export async function startRegistry(): Promise<NpmRegistry> {
  const archive = packPackage()
  const server = createServer((_request, response) => {
    registry.requests++
    response.end(archive)
  })
  const registry: NpmRegistry = {
    url: `http://127.0.0.1:${await listen(server)}/tiny/-/tiny-1.0.0.tgz`,
    integrity: `sha512-${createHash('sha512').update(archive).digest('base64')}`,
    requests: 0,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  return registry
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

function packPackage(): Buffer {
  const manifest = {
    name: 'tiny',
    version: '1.0.0',
    main: 'index.js',
    scripts: { postinstall: "node -e \"require('fs').writeFileSync('ran', '')\"" },
  }
  using folder = createProjectFolder({
    'package/package.json': JSON.stringify(manifest),
    'package/index.js': 'module.exports = 42',
  })
  return execFileSync('tar', ['-czf', '-', '-C', folder.path, 'package'])
}
