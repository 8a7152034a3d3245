import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export interface DaemonLogLine {
  /** Formatted for people. */
  text: string
  /** Parsed JSON of the line, or `{message}` for other lines. */
  fields: Record<string, unknown>
}

const FOLLOW_POLL_MS = 200
const CHUNK_BYTES = 64 * 1024

/** The last `tail` lines of the daemon's log and, with `follow`, new lines until `signal` aborts. */
export async function* readLog(
  path: string,
  { tail, follow, signal }: { tail: number; follow: boolean; signal: AbortSignal },
): AsyncGenerator<DaemonLogLine> {
  let { text, end } = readFrom(path, 0)
  const lines = text.split('\n')
  let rest = lines.pop() ?? ''
  yield* lines.slice(Math.max(0, lines.length - tail)).map(toLine)
  while (follow && !signal.aborted) {
    await sleep(FOLLOW_POLL_MS, undefined, { signal }).catch(() => {}) // aborted
    ;({ text, end } = readFrom(path, end))
    const more = (rest + text).split('\n')
    rest = more.pop() ?? ''
    yield* more.map(toLine)
  }
}

/** Reads from byte `start`, or from the beginning when the file was truncated. */
function readFrom(path: string, start: number): { text: string; end: number } {
  if (!existsSync(path)) return { text: '', end: 0 }
  const descriptor = openSync(path, 'r')
  try {
    let at = fstatSync(descriptor).size < start ? 0 : start
    const chunks: Buffer[] = []
    const buffer = Buffer.alloc(CHUNK_BYTES)
    for (let count = 1; count > 0; at += count) {
      count = readSync(descriptor, buffer, 0, CHUNK_BYTES, at)
      chunks.push(Buffer.from(buffer.subarray(0, count)))
    }
    return { text: Buffer.concat(chunks).toString('utf8'), end: at }
  } finally {
    closeSync(descriptor)
  }
}

function toLine(line: string): DaemonLogLine {
  try {
    const { timestamp = '', level = '', message = '', ...rest } = JSON.parse(line)
    const more = Object.entries(rest).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    return {
      text: [timestamp, String(level).padEnd(5), message, ...more].join(' '),
      fields: { timestamp, level, message, ...rest },
    }
  } catch {
    // Node's own output, such as warnings, is not JSON.
    return { text: line, fields: { message: line } }
  }
}
