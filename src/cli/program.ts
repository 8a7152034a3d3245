import type { Command } from './command.ts'
import { COMMANDS, type CommandEntry } from './command-list.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { findCommand } from './find-command.ts'
import { formatGroupHelp, formatHelp } from './help.ts'

/** The whole run of `mcp`: find the command, load it, parse, run, print the error, set the exit code. */
export async function main(argv: string[]): Promise<void> {
  // A reader that has seen enough (`mcp logs | head`) is no failure.
  process.stdout.on('error', onPipeError)
  process.stderr.on('error', onPipeError)
  process.exitCode = await runProgram(argv)
}

async function runProgram(argv: string[]): Promise<ExitCode> {
  const found = findCommand(argv, COMMANDS)
  switch (found.kind) {
    case 'help':
      process.stdout.write(
        found.group === undefined ? formatHelp(COMMANDS) : formatGroupHelp(COMMANDS, found.group),
      )
      return EXIT.done
    case 'usage':
      return (await import('./run-command.ts')).reportUsage(found.error, argv)
    case 'command':
      return runEntry(found.entry, found.rest)
  }
}

async function runEntry(entry: CommandEntry, rest: string[]): Promise<ExitCode> {
  const [{ runCommand }, command] = await Promise.all([import('./run-command.ts'), entry.load()])
  return runCommand(command satisfies Command, rest)
}

function onPipeError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(EXIT.done)
  throw error
}
