import { HostingError } from '../shared/errors.ts'
import type { CommandContext } from './command-context.ts'

/**
 * Asks before something destructive. `--yes` answers; without a terminal a missing answer is a usage error that names
 * the flag. Throws CANCELLED when the answer is no.
 */
export async function confirm(context: CommandContext, question: string): Promise<void> {
  if (context.globals.yes) return
  if (!context.output.interactive)
    throw new HostingError('INVALID_REQUEST', `${question} This needs --yes where nobody can be asked.`, {
      next: [{ description: 'Repeat the command with --yes' }],
    })
  const { default: inquirer } = await import('inquirer')
  const { yes } = await inquirer.prompt([{ type: 'confirm', name: 'yes', message: question, default: false }])
  if (yes) return
  context.output.note('Nothing was changed.')
  throw new HostingError('CANCELLED', 'Nothing was changed.')
}

/** Asks for a secret without showing it. Throws a usage error that names `flag` without a terminal. */
export async function askSecret(context: CommandContext, question: string, flag: string): Promise<string> {
  if (!context.output.interactive)
    throw new HostingError('INVALID_REQUEST', `${flag} is missing, and nobody can be asked here.`)
  const { default: inquirer } = await import('inquirer')
  const { secret } = await inquirer.prompt([
    { type: 'password', name: 'secret', message: question, mask: '*' },
  ])
  return secret
}
