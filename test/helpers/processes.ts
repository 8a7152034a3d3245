import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** All process ids of the machine, from /proc. */
function processes(): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
}

export function childrenOf(pid: number): number[] {
  return processes().filter(child => parentOf(child) === pid)
}

export function descendantsOf(pid: number): number[] {
  const parents = processes().map(child => [child, parentOf(child)] as const)
  const found = [pid]
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child)
  return found.slice(1)
}

/** True while the process exists. Zombies do not count. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch (error) {
    // Without /proc (macOS), the signal is the only evidence.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync('/proc')
  }
}

/** A file of /proc/<pid>. Empty when the process is gone. */
export function readProc(pid: number, file: 'status' | 'environ' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return '' // It is gone, or belongs to another user.
  }
}

/** Processes whose command line or environment contains the text. */
export function processesNaming(text: string): number[] {
  return processes().filter(pid =>
    (['cmdline', 'environ'] as const).some(file => readProc(pid, file).includes(text)),
  )
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readProc(pid, 'status'))?.[1])
}
