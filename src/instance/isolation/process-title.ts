/** Elsewhere it costs milliseconds, and nobody reads it. */
const isCheap = process.platform === 'linux'
/** Read before user code is left other arguments. */
const [, , id = ''] = process.argv
let last = ''

/**
 * Puts what runs now into the process's title, for example `tool "add"`: when it never comes back, the daemon reads there
 * what it was (src/daemon/runtime/vital-signs.ts). Nothing inside of a process that is stuck could tell.
 */
export function showRunning(kind: string, name: string): void {
  if (!isCheap || name === last) return
  last = name
  process.title = `mcp-instance ${id} ${kind} "${name}"`
}
