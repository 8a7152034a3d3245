import type { HostingError, NextStep } from '../../shared/errors.ts'
import { detailLines } from '../../shared/format/detail-lines.ts'
import { printable } from '../../shared/format/printable.ts'
import type { Style } from './style.ts'
import { columnsOf, wrapFor } from './terminal.ts'
import { wrapCommand } from './wrap.ts'

/** Error line for scripts: `{"error":{code,message,details,next}}`. */
export function toErrorDocument(error: HostingError): { error: Record<string, unknown> } {
  return { error: { ...error.toBody(), next: error.next } }
}

export function errorLines(error: HostingError, style: Style): string[] {
  const lines = [`${style.red('Error:')} ${printable(error.message)}`]
  for (const line of detailLines(error)) lines.push(`  ${printable(line)}`)
  const shown = lines.map(line => wrapFor(line, process.stderr))
  return [...shown, ...nextLines(error.next, style, process.stderr)]
}

/**
 * Commands are aligned, or below their descriptions if a line does not fit the terminal. Each command is a single line that can
 * be copied.
 */
export function nextLines(steps: readonly NextStep[], style: Style, stream: NodeJS.WriteStream): string[] {
  const width = Math.max(0, ...steps.map(step => (step.command ? step.description.length + 1 : 0)))
  const longest = Math.max(0, ...steps.map(({ command }) => (command ? width + 2 + command.length : 0)))
  const columns = columnsOf(stream)
  const isStacked = longest > columns
  return steps.map(({ description, command }) => {
    if (command === undefined) return wrapFor(description, stream)
    if (isStacked)
      return `${wrapFor(`${description}:`, stream)}\n${style.cyan(wrapCommand(command, columns))}`
    return `${`${description}:`.padEnd(width)}  ${style.cyan(command)}`
  })
}

/** Stack of the error and its causes, for `--debug`. */
export function stackOf(error: Error): string {
  const { cause } = error
  const rest =
    cause === undefined ? '' : `\ncaused by ${cause instanceof Error ? stackOf(cause) : String(cause)}`
  return `${error.stack ?? error.message}${rest}`
}
