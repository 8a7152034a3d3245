import { writeSync } from 'node:fs'

/**
 * Terminates the process with one line about an uncaught internal error. Node would print the source line that threw, which
 * is the whole bundle.
 */
export function exitOnInternalErrors(): void {
  process.on('uncaughtException', exitWith)
}

/** Undoes `exitOnInternalErrors` in processes with user code, because that code causes most uncaught errors. */
export function keepRunningOnInternalErrors(): void {
  process.off('uncaughtException', exitWith)
}

function exitWith(thrown: unknown): void {
  try {
    writeSync(2, `${describeInternalError(thrown)}\n`)
  } finally {
    process.exit(1)
  }
}

/** The error and its location in one line. */
export function describeInternalError(thrown: unknown): string {
  const [first, ...frames] = (thrown instanceof Error ? thrown.stack : undefined)?.split('\n') ?? [
    String(thrown),
  ]
  const place = frames.find(frame => /^\s+at /.test(frame) && !frame.includes('node:internal'))
  return `Internal error on Node ${process.versions.node}: ${first}${place === undefined ? '' : ` ${place.trim()}`}`
}
