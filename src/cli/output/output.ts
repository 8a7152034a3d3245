import { formatDurationMs } from '../../shared/duration.ts'
import type { HostingError, NextStep } from '../../shared/errors.ts'
import { EXIT } from '../command-line/exit-codes.ts'
import { markStyle, type Style, toTerminalText, withoutStyle } from './style.ts'
import { formatTable, printable, printableJson } from './table.ts'

export interface OutputOptions {
  json: boolean
  quiet: boolean
  color: boolean
  debug: boolean
  env: NodeJS.ProcessEnv
}

export type Output = Awaited<ReturnType<typeof createOutput>>

/**
 * Everything a command prints. Results go to standard output, progress and errors to standard error. With `--json`,
 * standard output is one JSON document, or one per line for streams.
 */
export async function createOutput(options: OutputOptions) {
  const { json, quiet, debug, env } = options
  const out = writerTo('stdout')
  const err = writerTo('stderr')
  const style = json ? PLAIN : await styleFor(process.stdout, options)

  return {
    json,
    quiet,
    debug,
    /** True when a person reads standard output. */
    terminal: !json && Boolean(process.stdout.isTTY),
    /** True when a user at a terminal can be asked. */
    get interactive(): boolean {
      return !json && !env.CI && Boolean(process.stdin.isTTY && process.stderr.isTTY)
    },
    style,
    /** The result: as JSON, or through `print`, which calls `line`, `table` and `next`. */
    result(value: unknown, print: () => void): void {
      if (json) out(printableJson(JSON.stringify(value ?? null)))
      else print()
    },
    /** One entry of a stream: one line of JSON, or of text. */
    entry(value: unknown, line: () => string): void {
      out(json ? printableJson(JSON.stringify(value)) : line())
    },
    line(text = ''): void {
      out(text)
    },
    /** Part of a line. The caller ends the line. */
    part(text: string): void {
      out(text, '')
    },
    /** Aligned columns without borders. Prints `empty` when there are no rows. */
    table(headers: readonly string[], rows: readonly (readonly string[])[], empty?: string): void {
      if (rows.length === 0 && empty !== undefined) return out(empty)
      // A pseudo-terminal without a size reports 0 columns.
      const columns = process.stdout.isTTY ? process.stdout.columns || undefined : undefined
      const [head, ...lines] = formatTable(headers, rows, columns)
      for (const line of [style.dim(head!), ...lines]) out(line)
    },
    /** Indented `label  value` lines. Omits undefined values. */
    fields(fields: Record<string, string | undefined>): void {
      const rows = Object.entries(fields).filter((row): row is [string, string] => row[1] !== undefined)
      const width = Math.max(0, ...rows.map(([label]) => label.length))
      for (const [label, value] of rows) out(`  ${style.dim(label.padEnd(width))}  ${printable(value)}`)
    },
    /** Suggested next steps at the end of a result. */
    next(...steps: NextStep[]): void {
      if (quiet || json || steps.length === 0) return
      out('')
      for (const line of nextLines(steps, style)) out(line)
    },
    /** A remark on standard error, omitted with `--quiet` and `--json`. */
    note(text: string): void {
      if (!quiet && !json) err(text)
    },
    /** A warning on standard error, printed with `--json` too. */
    warn(text: string): void {
      err(json ? printableJson(JSON.stringify({ warning: text })) : text)
    },
    /** Warnings of an API's record, on standard error. With `--json` they are part of the record. */
    warnOf({ warnings = [] }: { warnings?: string[] | undefined }): void {
      if (!json) for (const text of warnings) err(`Warning: ${printable(text)}`)
    },
    trace(text: string): void {
      if (debug) err(text)
    },
    /** Runs `work` and shows a spinner at a terminal. */
    progress<T>(text: string, work: (update: (text: string) => void) => Promise<T>): Promise<T> {
      // ora clears lines forever when a pseudo-terminal reports 0 columns.
      const spins = !json && !quiet && !env.CI && process.stderr.isTTY && process.stderr.columns > 0
      return spins ? spin(text, work) : work(() => {})
    },
    async error(error: HostingError): Promise<void> {
      if (json) err(printableJson(JSON.stringify(toErrorDocument(error))))
      else for (const line of errorLines(error, await styleFor(process.stderr, options))) err(line)
      if (debug) err(stackOf(error))
    },
  }
}

/**
 * Creates the stream on first use, which takes Node milliseconds. Server text goes to a pipe unchanged and to a terminal without
 * control sequences.
 */
function writerTo(name: 'stdout' | 'stderr'): (text: string, end?: string) => void {
  let stream: NodeJS.WriteStream | undefined
  return (text, end = '\n') => {
    stream ??= process[name].on('error', onPipeError)
    stream.write(`${stream.isTTY ? toTerminalText(text) : withoutStyle(text)}${end}`)
  }
}

/** A closed reader (`mcp logs | head`) is not a failure. */
export function onPipeError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(EXIT.done)
  throw error
}

/** `built weather in 12 ms` */
export function inTime(ms: number): string {
  return `in ${formatDurationMs(ms)}`
}

/** Error line for scripts: `{"error":{code,message,details,next}}`. */
function toErrorDocument(error: HostingError): { error: Record<string, unknown> } {
  return { error: { ...error.toBody(), next: error.next } }
}

function errorLines(error: HostingError, style: Style): string[] {
  const lines = [`${style.red('Error:')} ${printable(error.message)}`]
  // The message may already end with the first problem.
  for (const [index, line] of (error.details?.split('\n') ?? []).entries())
    if (index > 0 || !error.message.endsWith(line)) lines.push(`  ${printable(line)}`)
  return [...lines, ...nextLines(error.next, style)]
}

function nextLines(steps: readonly NextStep[], style: Style): string[] {
  const width = Math.max(0, ...steps.map(step => (step.command ? step.description.length + 1 : 0)))
  return steps.map(({ description, command }) =>
    command ? `${`${description}:`.padEnd(width)}  ${style.cyan(command)}` : description,
  )
}

/** Stack of the error and its causes, for `--debug`. */
function stackOf(error: Error): string {
  const { cause } = error
  const rest =
    cause === undefined ? '' : `\ncaused by ${cause instanceof Error ? stackOf(cause) : String(cause)}`
  return `${error.stack ?? error.message}${rest}`
}

const PLAIN: Style = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same }

function same(text: string): string {
  return text
}

/** Loads chalk only for a terminal with colours (https://no-color.org). */
async function styleFor(stream: NodeJS.WriteStream, { color, json, env }: OutputOptions): Promise<Style> {
  if (!color || json || env.NO_COLOR || env.TERM === 'dumb' || !stream.isTTY) return PLAIN
  return markStyle((await import('chalk')).default)
}

/** Faster work does not show a spinner and does not load ora. */
const SPINNER_DELAY_MS = 300

/** `Building weather (3 s)`, without seconds in the first one. */
function withSeconds(text: string, ms: number): string {
  return ms < 1000 ? text : `${text} (${Math.floor(ms / 1000)} s)`
}

async function spin<T>(text: string, work: (update: (text: string) => void) => Promise<T>): Promise<T> {
  const startedMs = performance.now()
  let phase = printable(text)
  const shown = () => withSeconds(phase, performance.now() - startedMs)
  let spinner: { text: string; stop(): unknown } | undefined
  let done = false
  const timer = setTimeout(async () => {
    const { default: ora } = await import('ora')
    if (!done) spinner = ora({ text: shown(), discardStdin: false }).start()
  }, SPINNER_DELAY_MS)
  const clock = setInterval(() => {
    if (spinner) spinner.text = shown()
  }, 1000)
  try {
    return await work(update => {
      phase = printable(update)
      if (spinner) spinner.text = shown()
    })
  } finally {
    done = true
    clearTimeout(timer)
    clearInterval(clock)
    spinner?.stop()
  }
}
