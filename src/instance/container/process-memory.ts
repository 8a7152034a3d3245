import { readFileSync } from 'node:fs'

const PAGE_BYTES = 4096

/** Resident memory of a process in bytes. 0 when it does not exist or runs on another machine, as with Docker Desktop. */
export function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1] ?? 0) * PAGE_BYTES
  } catch {
    return 0
  }
}
