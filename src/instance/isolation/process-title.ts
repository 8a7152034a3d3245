/** On other systems, setting the title takes milliseconds, and nothing reads it. */
const isCheap = process.platform === 'linux'
/** Read before user code gets other arguments. */
const [, , id = ''] = process.argv
let last = ''

/**
 * Shows what is running in the process title, for example `tool "add"`. When a call hangs, the daemon reads it from there
 * (src/daemon/runtime/process/vital-signs.ts), because a hung process cannot answer.
 */
export function showRunning(kind: string, name: string): void {
  if (!isCheap || name === last) return
  last = name
  process.title = `mcp-instance ${id} ${kind} "${name}"`
}
