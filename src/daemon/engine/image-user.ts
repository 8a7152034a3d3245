/** Runs a command of the container engine. Undefined when it fails. */
export type RunEngine = (args: string[]) => Promise<string | undefined>

const NUMBER = /^\d{1,10}$/
const TAR_BLOCK = 512

/**
 * User id of an image's processes. `user`: as for `docker run --user`, by default the image's user. A name is looked up in the
 * image, without running it. Undefined when the image does not contain the name.
 */
export async function findImageUser(
  run: RunEngine,
  image: string,
  { user, labels }: { user?: string | undefined; labels: Record<string, string> },
): Promise<number | undefined> {
  const text = user ?? (await run(['image', 'inspect', '--format', '{{.Config.User}}', image]))?.trim()
  const [name] = (text ?? 'unknown').split(':')
  if (name === '' || name === 'root') return 0
  if (NUMBER.test(name!)) return Number(name)
  const archive = text === undefined ? undefined : await copyPasswd(run, image, labels)
  return archive === undefined ? undefined : uidIn(archive.slice(TAR_BLOCK), name!)
}

/** `/etc/passwd` as a tar archive. The labels let the daemon remove a container that a crash left behind. */
async function copyPasswd(
  run: RunEngine,
  image: string,
  labels: Record<string, string>,
): Promise<string | undefined> {
  const named = Object.entries(labels).flatMap(([label, value]) => ['--label', `${label}=${value}`])
  const created = await run(['create', '--pull', 'never', ...named, image, '/nothing'])
  const id = created?.trim().split('\n').at(-1)
  if (id === undefined) return undefined
  try {
    return await run(['cp', `${id}:/etc/passwd`, '-'])
  } finally {
    await run(['rm', '--force', id])
  }
}

/** Parses lines such as `node:x:1000:1000::/home/node:/bin/sh`. */
function uidIn(passwd: string, name: string): number | undefined {
  const line = passwd.split('\n').find(text => text.startsWith(`${name}:`))
  const id = line?.split(':')[2] ?? ''
  return NUMBER.test(id) ? Number(id) : undefined
}
