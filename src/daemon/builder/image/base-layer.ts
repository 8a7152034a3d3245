import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { HostingError } from '../../../shared/errors.ts'
import type { LayerEntry } from './layer.ts'

/** User of the server in the image, as in distroless images. */
export const USER = { id: 65532, name: 'nonroot' } as const

/** Libraries that libc loads on the first name lookup, so they are not in the list of loaded libraries. */
const LOOKUP_LIBRARIES = /^lib(?:nss_(?:files|dns)|resolv)\.so\.2$/
const SYSTEM_CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

/**
 * Minimal system for Node: this machine's binary with its shared libraries, certificates, a user and `/tmp`. Downloads nothing.
 * Throws UNAVAILABLE on systems other than Linux.
 */
export function baseEntries(): LayerEntry[] {
  if (process.platform !== 'linux')
    throw new HostingError(
      'UNAVAILABLE',
      `This machine's Node cannot run in an image, because it is built for ${process.platform}.`,
      { details: 'Use a base image from a registry or an OCI layout.' },
    )
  return [
    { path: 'usr/local/bin/node', file: realpathSync(process.execPath), mode: 0o755 },
    ...libraries().map(path => ({ path: path.slice(1), file: realpathSync(path), mode: 0o755 })),
    { path: SYSTEM_CERTIFICATES.slice(1), content: certificates() },
    {
      path: 'etc/passwd',
      content: `root:x:0:0:root:/root:/sbin/nologin\n${USER.name}:x:${USER.id}:${USER.id}::/home/${USER.name}:/sbin/nologin\n`,
    },
    { path: 'etc/group', content: `root:x:0:\n${USER.name}:x:${USER.id}:\n` },
    { path: 'etc/nsswitch.conf', content: 'hosts: files dns\n' },
    { path: `home/${USER.name}`, mode: 0o755 },
    { path: 'tmp', mode: 0o1777 },
  ]
}

/** Key that changes when one of the files changes. Depends only on their paths, sizes and times. */
export function baseKey(): string {
  const facts = baseEntries().map(({ path, file, content }) => {
    const { size, mtimeMs } = file ? statSync(file) : { size: content?.length, mtimeMs: 0 }
    return [path, size, mtimeMs]
  })
  return JSON.stringify(facts)
}

/** Shared libraries at their full paths, where the image's dynamic loader searches for them. */
function libraries(): string[] {
  const { sharedObjects } = process.report!.getReport() as unknown as { sharedObjects: string[] }
  const loaded = sharedObjects.filter(
    path => path.startsWith('/') && !path.endsWith('.node') && existsSync(path),
  )
  const libc = loaded.find(path => basename(path) === 'libc.so.6')
  const folder = libc && dirname(libc)
  const lookup = folder
    ? readdirSync(folder)
        .filter(name => LOOKUP_LIBRARIES.test(name))
        .map(name => join(folder, name))
    : []
  return [...new Set([...loaded, ...lookup])]
}

function certificates(): string {
  if (existsSync(SYSTEM_CERTIFICATES)) return readFileSync(SYSTEM_CERTIFICATES, 'utf8')
  return `${rootCertificates.join('\n')}\n`
}
