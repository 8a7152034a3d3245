import { chmodSync, mkdirSync, statSync } from 'node:fs'
import type { Artifact } from '../../shared/definitions/artifact.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import type { TenantContainer } from '../../shared/instances/tenant-container.ts'
import { changeOwner } from '../bridge/process/sandbox.ts'

/** DATA_DIR in a container. No image has files there that a mount would hide. */
export const DATA_TARGET = '/mcp-data'

const ROOT = 0

/** The host's folder for DATA_DIR. Undefined for a server that does not start programs. */
export function dataFolderOf({ program }: Artifact, tenant: Tenant): string | undefined {
  return program === undefined || program.type === 'module' ? undefined : tenant.program?.data
}

/**
 * Creates the folder, writable for the container's user. Its parent folders are private, so that no other user on the machine can
 * reach a folder that everyone may write to.
 */
export function prepareDataFolder(data: string, container: Pick<TenantContainer, 'engine' | 'uid'>): void {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const { uid } = container
  if (uid === undefined || !(process.getuid?.() === ROOT || mapsUser(container)))
    return chmodSync(data, 0o777)
  if (process.getuid?.() === ROOT && statSync(data).uid !== uid) changeOwner(data, uid, uid)
}

/**
 * Arguments that mount the folder. With rootless podman, its files belong to the daemon's user, so that the daemon can back up
 * and delete them.
 */
export function dataArguments(
  data: string | undefined,
  container: Pick<TenantContainer, 'engine' | 'uid'>,
): string[] {
  if (data === undefined) return []
  const { uid } = container
  return [
    ...(mapsUser(container) && uid !== ROOT ? ['--userns', `keep-id:uid=${uid},gid=${uid}`] : []),
    // `z` labels the folder for SELinux. All containers of the server share the folder.
    '--volume',
    `${data}:${DATA_TARGET}:z`,
  ]
}

/**
 * True when rootless podman can map the container's user to the daemon's user. By default, it maps the container's root.
 */
function mapsUser({ engine, uid }: Pick<TenantContainer, 'engine' | 'uid'>): boolean {
  return engine === 'podman' && process.getuid?.() !== ROOT && uid !== undefined
}
