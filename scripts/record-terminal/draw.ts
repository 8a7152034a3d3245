import type { Line, Run } from './screen.ts'

export interface Frame {
  /** Milliseconds after the start. */
  atMs: number
  lines: readonly Line[]
}

export interface Recording {
  /** Shown after the prompt. */
  command: string
  columns: number
  frames: readonly Frame[]
}

const CHARACTER = 8.4
const LINE = 20
const PADDING = 20
/** Time for which the prompt is shown alone, and time for which the whole output is shown at the end of each loop. */
const PROMPT_MS = 800
const REST_MS = 6000

/** Palette that is readable on light and dark pages, because the picture has its own background. */
const STYLE = `text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d6deeb; white-space: pre }
.c1, .c9 { fill: #ff6b6b } .c2, .c10 { fill: #7ee787 } .c3, .c11 { fill: #f2cc60 } .c4, .c12 { fill: #79c0ff }
.c5, .c13 { fill: #d2a8ff } .c6, .c14 { fill: #56d4dd } .c8 { fill: #8b949e } .b { font-weight: 600 } .d { opacity: .7 }`

/** An SVG that plays the frames in a loop with CSS alone. Viewers without animation show the last frame. */
export function drawRecording({ command, columns, frames }: Recording): string {
  const rows = Math.max(...frames.map(({ lines }) => lines.length)) + 1
  const width = Math.ceil(columns * CHARACTER + 2 * PADDING)
  const height = rows * LINE + 2 * PADDING
  const totalMs = PROMPT_MS + frames.at(-1)!.atMs + REST_MS
  const drawn = frames.map(({ lines }, index) => group(lines.map(drawLine).join(''), index))
  const timing = frames.map((_, index) => keyframes(frames, index, totalMs))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>Terminal recording of ${escapeXml(command)}</title>
<style>${STYLE}
@media (prefers-reduced-motion: no-preference) {
${timing.join('\n')}
}
g { visibility: hidden } g:last-of-type { visibility: visible }</style>
<rect width="100%" height="100%" rx="10" fill="#0d1117"/>
<text x="${PADDING}" y="${PADDING + LINE}"><tspan class="c2">$</tspan> ${escapeXml(command)}</text>
${drawn.join('\n')}
</svg>
`
}

function group(content: string, index: number): string {
  return `<g class="f${index}">${content}</g>`
}

function drawLine(line: Line, row: number): string {
  const content = line.map(drawRun).join('').trimEnd()
  return content === '' ? '' : `<text x="${PADDING}" y="${PADDING + LINE * (row + 2)}">${content}</text>`
}

function drawRun({ text, colour, bold, dim }: Run): string {
  const classes = [colour, bold && 'b', dim && 'd'].filter(Boolean).join(' ')
  return classes === '' ? escapeXml(text) : `<tspan class="${classes}">${escapeXml(text)}</tspan>`
}

/** Shows a frame until the next one begins, and the last frame to the end. */
function keyframes(frames: readonly Frame[], index: number, totalMs: number): string {
  const share = (ms: number) => `${((100 * ms) / totalMs).toFixed(2)}%`
  const from = share(PROMPT_MS + frames[index]!.atMs)
  const next = frames[index + 1]
  const until = next
    ? `${share(PROMPT_MS + next.atMs)} { visibility: hidden }`
    : '100% { visibility: visible }'
  return `@keyframes f${index} { 0% { visibility: hidden } ${from} { visibility: visible } ${until} }
.f${index} { animation: f${index} ${(totalMs / 1000).toFixed(1)}s step-end infinite }`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
