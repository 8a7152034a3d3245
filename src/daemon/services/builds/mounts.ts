import { existsSync, realpathSync, type Stats, statSync } from 'node:fs'
import { relative, sep } from 'node:path'
import type { Mount } from '../../../shared/definitions/definitions.ts'
import { HostingError } from '../../../shared/errors.ts'

/**
 * System folders. They cannot be mounted, because a container's root user can be the machine's root user. /run contains the
 * sockets of container engines, which give full access to the machine.
 */
const SYSTEM_FOLDERS = ['/boot', '/dev', '/etc', '/proc', '/run', '/sys', '/usr']

const VOLUME = /^[A-Za-z0-9][\w.-]*$/

/**
 * Resolves the files and folders to mount in a container, so that a link that changes later has no effect. `hidden`:
 * folders of the daemon. Throws INVALID_MCP for a path that does not exist or may not be in a container.
 */
export function resolveMounts(mounts: readonly Mount[], hidden: readonly string[]): Mount[] {
  return mounts.map((mount, index) => {
    const fault = syntaxFault(mount)
    if (fault !== undefined) throw invalidMount(index, fault)
    return mount.source.startsWith('/') ? resolveMount(mount, index, hidden) : mount
  })
}

/** Engines separate the parts of a mount with colons. */
function syntaxFault({ source, target }: Mount): string | undefined {
  if (source.includes(':') || target.includes(':')) return `"${source}" or "${target}" contains a colon`
  if (source.startsWith('/') || VOLUME.test(source)) return undefined
  return `"${source}" is neither an absolute path nor the name of a volume`
}

function resolveMount(mount: Mount, index: number, hidden: readonly string[]): Mount {
  const status = statSync(mount.source, { throwIfNoEntry: false })
  if (!status) throw invalidMount(index, `"${mount.source}" does not exist`)
  const source = realpathSync(mount.source)
  if (!isFileOrFolder(status)) throw invalidMount(index, `"${source}" is neither a file nor a folder`)
  const closed = [...SYSTEM_FOLDERS, ...hidden.map(withoutLinks)].find(
    folder => isWithin(folder, source) || isWithin(source, folder),
  )
  if (closed === undefined) return { ...mount, source }
  const whose = SYSTEM_FOLDERS.includes(closed) ? 'the system' : 'the daemon'
  throw invalidMount(index, `"${source}" gives access to ${closed}, a folder of ${whose}`)
}

function withoutLinks(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder
}

function isFileOrFolder(status: Stats): boolean {
  return status.isFile() || status.isDirectory()
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`)
}

function invalidMount(index: number, fault: string): HostingError {
  return new HostingError('INVALID_MCP', `The container cannot be started: mount ${fault}.`, {
    details: `program.mounts[${index}]: ${fault}`,
  })
}
