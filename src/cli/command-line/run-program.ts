import { fstatSync, writeSync } from 'node:fs'
import { withPipeError } from '../output/pipe-error.ts'
import { COMMANDS } from './command-list.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { findCommand } from './find-command.ts'
import { formatFullHelp, formatGroupHelp, formatHelp } from './help.ts'

/** Finds the command, loads it, runs it and sets the exit code. */
export async function main(argv: string[]): Promise<void> {
  process.exitCode = await runProgram(argv)
  // Node removes signal handlers before a normal exit, and a second Ctrl-C would then kill the process with the signal.
  if (process.exitCode === EXIT.interrupted) process.exit()
}

async function runProgram(argv: string[]): Promise<ExitCode> {
  const found = findCommand(argv, COMMANDS)
  if (found.kind === 'help') {
    print(argv.includes('--json') ? await helpAsJson(found.group) : helpPage(found.group))
    return EXIT.done
  }
  const { loadCommand, reportUsage, runCommand } = await import('./commands.ts')
  return found.kind === 'usage'
    ? reportUsage(found.error, argv)
    : runCommand(await loadCommand(found.entry.name), found.rest)
}

/** `group`: the name of a group, or `all`. */
function helpPage(group: string | undefined): string {
  const columns = Math.min(terminalColumns() ?? PIPE_COLUMNS, MAX_COLUMNS)
  if (group === undefined) return formatHelp(COMMANDS, columns)
  return group === 'all' ? formatFullHelp(COMMANDS, columns) : formatGroupHelp(COMMANDS, group, columns)
}

async function helpAsJson(group: string | undefined): Promise<string> {
  const { describeCommands } = await import('./describe.ts')
  const isWanted = ({ name }: { name: string }) =>
    group === undefined || group === 'all' || name.startsWith(`${group} `)
  return `${JSON.stringify(describeCommands(COMMANDS.filter(isWanted)))}\n`
}

const PIPE_COLUMNS = 80
const MAX_COLUMNS = 100

/** Undefined in a pipe. Avoids creating `process.stdout` for a pipe. */
function terminalColumns(): number | undefined {
  return fstatSync(1).isCharacterDevice() ? process.stdout.columns || undefined : undefined
}

/** Avoids `process.stdout`, because creating it takes longer than the rest of a help page. */
function print(text: string): void {
  try {
    const bytes = Buffer.from(text)
    const written = writeSync(1, bytes)
    if (written < bytes.length) withPipeError(process.stdout).write(bytes.subarray(written))
  } catch (error) {
    // The reader may be gone (EPIPE). A full pipe (EAGAIN) is left to the stream.
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') withPipeError(process.stdout).write(text)
    else if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}
