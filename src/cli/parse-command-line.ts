import type { Command } from './command.ts'
import { type ParsedCommandLine, readUsualLine } from './usual-command-line.ts'

/**
 * Parses the words after the command's name. Prints the help page and returns `help` when it is asked for; throws
 * INVALID_REQUEST for a wrong command line. commander, a tenth of a start, is loaded only for a line that is not usual.
 */
export async function parseCommandLine(
  command: Command,
  argv: readonly string[],
): Promise<ParsedCommandLine | 'help'> {
  const usual = readUsualLine(command, argv)
  if (usual) return usual
  const { readAnyLine } = await import('./any-command-line.ts')
  return readAnyLine(command, argv)
}
