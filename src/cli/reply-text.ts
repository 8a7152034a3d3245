import { formatJson } from './format-json.ts'

/** One less than a terminal's 80 columns, for the comma. */
const WIDTH = 79

/** A reply as it came, but for lines that end in JSON too long for a terminal: that is laid out over lines. */
export function layOutReply(reply: string): string {
  return reply.split('\n').map(layOutLine).join('\n')
}

/** The embedded model writes `tool (argument): {…}` of each of several calls. */
function layOutLine(line: string): string {
  const at = line.search(/[[{]/)
  if (line.length <= WIDTH || at < 0) return line
  try {
    const laidOut = formatJson(JSON.parse(line.slice(at)), WIDTH).trimEnd()
    const title = line.slice(0, at).trimEnd()
    return title === '' ? laidOut : `${title}\n${laidOut}`
  } catch {
    return line // It only looked like JSON.
  }
}
