import { formatDurationMs } from '../../shared/duration.ts'
import type { HostingError, NextStep } from '../../shared/errors.ts'
import { printable, printableJson } from '../../shared/format/printable.ts'
import { errorLines, nextLines, stackOf, toErrorDocument } from './error-lines.ts'
import { withPipeError } from './pipe-error.ts'
import { type Progress, showProgress } from './progress.ts'
import { quietLines } from './quiet-lines.ts'
import { isJson, readableJson } from './readable-json.ts'
import { markStyle, type Style, toTerminalText, withoutStyle } from './style.ts'
import { formatTable } from './table.ts'
import { columnsOf, fieldLines, wrapFor } from './terminal.ts'
import { wrapCommand } from './wrap.ts'

export interface OutputOptions {
  json: boolean
  quiet: boolean
  /** Fields of the result that `--quiet` prints instead of the text for people. */
  quietFields?: readonly string[] | undefined
  color: boolean
  debug: boolean
  env: NodeJS.ProcessEnv
}

/** Indent of the continuation lines of a wrapped log line. */
const ENTRY_INDENT = 4

export type Output = Awaited<ReturnType<typeof createOutput>>

/**
 * Everything a command prints. Results go to standard output, progress and errors to standard error. With `--json`,
 * standard output is one JSON document, or one per line for streams.
 */
export async function createOutput(options: OutputOptions) {
  const { json, quiet, quietFields, debug, env } = options
  const out = writerTo('stdout')
  const err = writerTo('stderr')
  const style = await styleFor(process.stdout, options)
  const isTerminal = Boolean(process.stdout.isTTY)
  /** JSON is indented and coloured for a terminal. */
  const readable = (text: string) => (isTerminal && isJson(text) ? readableJson(text, style) : text)

  return {
    json,
    quiet,
    debug,
    /** True when a person reads standard output. */
    terminal: !json && isTerminal,
    /** True when a person reads the remarks on standard error. */
    get noteTerminal(): boolean {
      return !json && !quiet && Boolean(process.stderr.isTTY)
    },
    /** True when a user at a terminal can be asked. */
    get interactive(): boolean {
      return !json && !env.CI && Boolean(process.stdin.isTTY && process.stderr.isTTY)
    },
    style,
    /** Prints the result: as JSON, as its quiet fields, or through `print`, which calls `line`, `table` and `next`. */
    result(value: unknown, print: () => void): void {
      const text = () => JSON.stringify(value ?? null)
      if (json) out(isTerminal ? readableJson(text(), style) : printableJson(text()))
      else if (quiet && quietFields) for (const line of quietLines(value, quietFields)) out(line)
      else print()
    },
    /** Text or data from a server. Unchanged in a pipe. At a terminal, JSON is formatted. */
    content(text: string): void {
      out(readable(text))
    },
    readable,
    /** One entry of a stream: one line of JSON, or of text. */
    entry(value: unknown, line: () => string): void {
      out(json ? printableJson(JSON.stringify(value)) : wrapFor(line(), process.stdout, ENTRY_INDENT))
    },
    /** `indent`: indent of continuation lines at a narrow terminal. */
    line(text = '', indent = 0): void {
      out(wrapFor(text, process.stdout, indent))
    },
    /** Bytes from a server, unchanged. */
    bytes(data: Buffer): void {
      withPipeError(process.stdout).write(data)
    },
    /** Part of a line. The caller ends the line. */
    part(text: string): void {
      out(text, '')
    },
    /** Aligned columns without borders. Prints `empty` when there are no rows. */
    table(headers: readonly string[], rows: readonly (readonly string[])[], empty?: string): void {
      if (rows.length === 0 && empty !== undefined) return out(empty)
      const [head, ...lines] = formatTable(headers, rows, columnsOf(process.stdout))
      for (const line of [style.dim(head!), ...lines]) out(line)
    },
    /** Indented `label  value` lines. Omits undefined values. */
    fields(fields: Record<string, string | undefined>): void {
      const rows = Object.entries(fields).filter((row): row is [string, string] => row[1] !== undefined)
      const width = Math.max(0, ...rows.map(([label]) => label.length))
      for (const [label, value] of rows)
        for (const line of fieldLines(style.dim(label.padEnd(width)), printable(value), width)) out(line)
    },
    /** Suggested next steps at the end of a result. */
    next(...steps: NextStep[]): void {
      if (quiet || json || steps.length === 0) return
      out('')
      for (const line of nextLines(steps, style, process.stdout)) out(line)
    },
    /** A suggested step between other lines, for a person. */
    hint(step: NextStep): void {
      if (!json) for (const line of nextLines([step], style, process.stdout)) out(line)
    },
    /** A command line to be copied, on standard error. Omitted with `--quiet` and `--json`. */
    command(text: string): void {
      if (!quiet && !json) err(style.dim(wrapCommand(text, columnsOf(process.stderr))))
    },
    /** A remark on standard error, omitted with `--quiet` and `--json`. */
    note(text: string): void {
      if (!quiet && !json) err(wrapFor(text, process.stderr))
    },
    /** A warning on standard error, printed with `--json` too. */
    warn(text: string): void {
      err(json ? printableJson(JSON.stringify({ warning: text })) : wrapFor(text, process.stderr))
    },
    /** Warnings from an API's record, on standard error. With `--json`, they are part of the record. */
    warnOf({ warnings = [] }: { warnings?: string[] | undefined }): void {
      if (!json) for (const text of warnings) err(wrapFor(`Warning: ${printable(text)}`, process.stderr))
    },
    trace(text: string): void {
      if (debug) err(text)
    },
    /** Runs `work` and shows its phase and the elapsed seconds at a terminal. */
    progress<T>(text: string, work: (update: Progress) => Promise<T>): Promise<T> {
      // ora clears lines forever when a pseudo-terminal reports 0 columns.
      const spins = !json && !quiet && !env.CI && process.stderr.isTTY && process.stderr.columns > 0
      return spins ? showProgress(text, work) : work(() => {})
    },
    async error(error: HostingError): Promise<void> {
      if (json) err(printableJson(JSON.stringify(toErrorDocument(error))))
      else for (const line of errorLines(error, await styleFor(process.stderr, options))) err(line)
      if (debug) err(stackOf(error))
    },
  }
}

/**
 * Accesses the stream on first use, because creating standard error takes milliseconds. Server text goes to a pipe unchanged
 * and to a terminal without control sequences.
 */
function writerTo(name: 'stdout' | 'stderr'): (text: string, end?: string) => void {
  let stream: NodeJS.WriteStream | undefined
  return (text, end = '\n') => {
    stream ??= withPipeError(process[name])
    stream.write(`${stream.isTTY ? toTerminalText(text) : withoutStyle(text)}${end}`)
  }
}

/** `in 12 ms` */
export function inTime(ms: number): string {
  return `in ${formatDurationMs(ms)}`
}

const PLAIN: Style = {
  bold: unstyled,
  dim: unstyled,
  red: unstyled,
  green: unstyled,
  yellow: unstyled,
  cyan: unstyled,
}

function unstyled(text: string): string {
  return text
}

/** Loads chalk only for a terminal with colours (https://no-color.org). */
async function styleFor(stream: NodeJS.WriteStream, { color, env }: OutputOptions): Promise<Style> {
  if (!color || env.NO_COLOR || env.TERM === 'dumb' || !stream.isTTY) return PLAIN
  return markStyle((await import('chalk')).default)
}
