import { writeSync } from 'node:fs'
import { COMMANDS } from './command-list.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { findCommand } from './find-command.ts'
import { formatGroupHelp, formatHelp } from './help.ts'

/** The whole run of `mcp`: find the command, load it, run it, set the exit code. */
export async function main(argv: string[]): Promise<void> {
  process.exitCode = await runProgram(argv)
}

async function runProgram(argv: string[]): Promise<ExitCode> {
  const found = findCommand(argv, COMMANDS)
  if (found.kind === 'help') {
    // Without `process.stdout`, whose making costs more than all the rest of this page.
    writeSync(1, found.group === undefined ? formatHelp(COMMANDS) : formatGroupHelp(COMMANDS, found.group))
    return EXIT.done
  }
  const { getCommand, reportUsage, runCommand } = await import('./commands.ts')
  return found.kind === 'usage'
    ? reportUsage(found.error, argv)
    : runCommand(getCommand(found.entry.name), found.rest)
}
