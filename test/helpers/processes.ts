import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { programProcesses, readProcesses } from '../../src/instance/bridge/process/process-tree.ts'

/** All process ids on the machine, from /proc. */
function processes(): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
}

export function childrenOf(pid: number): number[] {
  return [...(readProcesses().get(pid) ?? [])]
}

export function descendantsOf(pid: number): number[] {
  return programProcesses(pid, readProcesses()).slice(1)
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
    return '' // The process is gone, or belongs to another user.
  }
}

/** Processes whose command line or environment contains the text. */
export function processesNaming(text: string): number[] {
  return processes().filter(pid =>
    (['cmdline', 'environ'] as const).some(file => readProc(pid, file).includes(text)),
  )
}
