import type { LogLine } from './log-text.ts'

/** A line of one of several releases. */
type ServerLine = LogLine & { deploymentId?: string }

interface LineKey {
  /** Time of the line, to find it in a long log. */
  timeMs: number
  /** Place in the files of the log. */
  place: string
}

const KEY = /^(?<time>-?\d{1,15})\.(?<place>\d+\.\d+\.[\w-]+\.[\w-]+)$/

/** Text that names a line in the URL. `number`: its row, for a log that is always shown from its start. */
export function lineKey(line: LogLine, number: number): string {
  const place = placeOf(line)
  return place === undefined ? String(number) : `${Date.parse(line.timestamp)}.${place}`
}

/** Undefined for other text, and for a row number. */
export function parseLineKey(key: string): LineKey | undefined {
  const { time, place } = KEY.exec(key)?.groups ?? {}
  return place === undefined ? undefined : { timeMs: Number(time), place }
}

/** Predicate for the line that a key names. */
export function lineMatcher({ place }: LineKey): (line: LogLine) => boolean {
  const [position] = /^\d+\.\d+/.exec(place)!
  // Compares the position first, which is cheaper, because this is called for each line of a log.
  return line => line.position === position && placeOf(line) === place
}

function placeOf({ position, instance, deploymentId }: ServerLine): string | undefined {
  return position && `${position}.${instance}.${deploymentId}`
}
