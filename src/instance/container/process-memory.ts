import { readFileSync } from 'node:fs'

const PAGE_BYTES = 4096

/** Resident memory of a process in bytes; 0 when there is none, or it is on another machine, as those of Docker Desktop are. */
export function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1] ?? 0) * PAGE_BYTES
  } catch {
    return 0
  }
}
