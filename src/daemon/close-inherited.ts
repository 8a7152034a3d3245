import { closeSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Flag of open(2) in /proc/self/fdinfo. */
const O_CLOEXEC = 0o2000000

/**
 * Closes file descriptors that the caller's shell left open, such as the lock of `flock 200`. Otherwise the daemon would keep
 * them open and pass them to its child processes. Node opens its own with O_CLOEXEC
 * (https://docs.libuv.org/en/v1.x/process.html#c.uv_disable_stdio_inheritance), but libraries in its threads do not. OpenSSL,
 * for example, reads the system's certificates while this process starts. Closing such a descriptor would let that thread
 * close a later one of ours with the same number, such as the lock of the home. So a descriptor only counts as inherited when
 * the parent process has the same file at the same number. Linux only.
 */
export function closeInherited(): void {
  for (const descriptor of openDescriptors()) {
    try {
      if (!isCloseOnExec(descriptor) && isOpenInParent(descriptor)) closeSync(descriptor)
    } catch {
      // Already closed, such as the descriptor of the directory, or the parent has exited.
    }
  }
}

function isCloseOnExec(descriptor: number): boolean {
  const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1]
  return flags === undefined || (Number.parseInt(flags, 8) & O_CLOEXEC) !== 0
}

function isOpenInParent(descriptor: number): boolean {
  return (
    readlinkSync(`/proc/${process.ppid}/fd/${descriptor}`) === readlinkSync(`/proc/self/fd/${descriptor}`)
  )
}

/** Open descriptors except standard input, output and error. Empty on systems without /proc. */
function openDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter(descriptor => descriptor > 2)
  } catch {
    return []
  }
}
