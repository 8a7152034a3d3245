import { readdirSync, readFileSync } from 'node:fs'

/** All process ids of the machine, from /proc. */
export function processes(): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
}

export function childrenOf(pid: number): number[] {
  return processes().filter(child => parentOf(child) === pid)
}

export function descendantsOf(pid: number): number[] {
  const children = childrenOf(pid)
  return [...children, ...children.flatMap(descendantsOf)]
}

/** A file of /proc/<pid>; empty for a process that ended meanwhile. */
export function readProc(pid: number, file: 'status' | 'environ' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return '' // it ended meanwhile, or is somebody else's
  }
}

/** Those whose command line or environment names it, so what was started of a folder or with it. */
export function processesNaming(text: string): number[] {
  return processes().filter(pid =>
    (['cmdline', 'environ'] as const).some(file => readProc(pid, file).includes(text)),
  )
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readProc(pid, 'status'))?.[1])
}
