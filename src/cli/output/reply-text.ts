import { formatJson } from './format-json.ts'

/** One less than 80 columns, for a trailing comma. */
const WIDTH = 79

/** Breaks long JSON at the end of a line into several lines. */
export function formatReply(reply: string): string {
  return reply.split('\n').map(layOutLine).join('\n')
}

/** The embedded model writes one `tool (argument): {…}` line per call. */
function layOutLine(line: string): string {
  const at = line.search(/[[{]/)
  if (line.length <= WIDTH || at < 0) return line
  try {
    const laidOut = formatJson(JSON.parse(line.slice(at)), { width: WIDTH }).trimEnd()
    const title = line.slice(0, at).trimEnd()
    return title === '' ? laidOut : `${title}\n${laidOut}`
  } catch {
    return line // not JSON
  }
}
