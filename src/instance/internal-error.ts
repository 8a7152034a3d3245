import { writeSync } from 'node:fs'

/**
 * Ends the process with one line about an error that none of this program's code handled. Node would print the line of
 * source that threw, which is the whole bundle.
 */
export function endOnInternalErrors(): void {
  process.on('uncaughtException', endWith)
}

/** For processes that run user code, where most uncaught errors belong to that code. */
export function stopEndingOnInternalErrors(): void {
  process.off('uncaughtException', endWith)
}

function endWith(thrown: unknown): void {
  try {
    writeSync(2, `${describeInternalError(thrown)}\n`)
  } finally {
    process.exit(1)
  }
}

/** One line: what was thrown, and where. */
export function describeInternalError(thrown: unknown): string {
  const [first, ...frames] = (thrown instanceof Error ? thrown.stack : undefined)?.split('\n') ?? [
    String(thrown),
  ]
  const place = frames.find(frame => /^\s+at /.test(frame) && !frame.includes('node:internal'))
  return `Internal error on Node ${process.versions.node}: ${first}${place === undefined ? '' : ` ${place.trim()}`}`
}
