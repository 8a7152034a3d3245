import { closeSync, readdirSync, readFileSync } from 'node:fs'

/** Flag of open(2) in /proc/self/fdinfo. */
const O_CLOEXEC = 0o2000000

/**
 * Closes file descriptors that the caller's shell left open, such as the lock of `flock 200`. Otherwise the daemon would keep
 * them open and pass them to its child processes. Node opens its own with O_CLOEXEC, so those without it were inherited (https://docs.libuv.org/en/v1.x/process.html#c.uv_disable_stdio_inheritance). Linux only.
 */
export function closeInherited(): void {
  for (const descriptor of openDescriptors()) {
    try {
      const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1]
      if (flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0) closeSync(descriptor)
    } catch {
      // The descriptor of the directory itself is closed already.
    }
  }
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
