import { HostingError } from '../../shared/errors.ts'
import { printable } from '../../shared/format/printable.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { repeatedCommand } from './repeated-command.ts'

interface Confirmation {
  question: string
  /** Subject of the error without a terminal: `Removing weather permanently`. */
  action: string
}

/**
 * Asks before a destructive action. `--yes` skips the question. Throws INVALID_REQUEST without a terminal and CANCELLED when
 * the answer is no.
 */
export async function confirm(context: CommandContext, { question, action }: Confirmation): Promise<void> {
  if (context.globals.yes) return
  if (!context.output.interactive)
    throw new HostingError('INVALID_REQUEST', `${action} needs confirmation. Repeat with --yes.`, {
      next: [{ description: 'Confirm it', command: repeatedCommand(context, '--yes') }],
    })
  await requireYes(context, question)
}

/** Throws CANCELLED when the answer is no. */
async function requireYes(context: CommandContext, question: string): Promise<void> {
  if (await ask(question)) return
  context.output.note('Nothing was changed.')
  throw new HostingError('CANCELLED', 'Nothing was changed.')
}

/**
 * Runs a request. If the API refuses it with CONFLICT and the user confirms the question, or gave `--yes`, runs `replace`. Throws
 * the CONFLICT when there is no question or no terminal.
 */
export async function confirmReplacement<T>(
  context: CommandContext,
  { request, question, replace }: Replacement<T>,
): Promise<T> {
  try {
    return await request()
  } catch (error) {
    if (!(error instanceof HostingError) || error.code !== 'CONFLICT') throw error
    const text = await question()
    if (text === undefined) throw error
    if (context.globals.yes) return replace()
    if (!context.output.interactive)
      throw new HostingError('CONFLICT', error.message, {
        details: error.details,
        next: [
          {
            description: 'To replace it, repeat the command with --yes',
            command: repeatedCommand(context, '--yes'),
          },
        ],
        cause: error,
      })
    await requireYes(context, text)
    return replace()
  }
}

interface Replacement<T> {
  request(): Promise<T>
  /** Undefined when the conflict has another cause. */
  question(): Promise<string | undefined>
  replace(): Promise<T>
}

/** Asks a yes-or-no question at a terminal. */
export async function ask(question: string): Promise<boolean> {
  const prompt = await openPrompts()
  const { yes } = await prompt([
    { type: 'confirm', name: 'yes', message: printable(question), default: false },
  ])
  return yes
}

interface TextQuestion {
  default?: string | undefined
  /** Returns an error message for invalid text. */
  validate?(text: string): string | undefined
}

/** Asks for a line of text at a terminal. */
export async function askText(message: string, question: TextQuestion = {}): Promise<string> {
  const prompt = await openPrompts()
  const { text } = await prompt([
    {
      type: 'input',
      name: 'text',
      message: printable(message),
      default: question.default,
      validate: (text: string) => question.validate?.(text) ?? true,
    },
  ])
  return text
}

/** Asks for text that must not be empty. */
export function askName(message: string): Promise<string> {
  return askText(message, { validate: text => (text.trim() === '' ? 'Enter a value.' : undefined) })
}

/** Asks for a secret without echo. Without a terminal, throws INVALID_REQUEST naming `flag`. */
export async function askSecret(context: CommandContext, question: string, flag: string): Promise<string> {
  if (!context.output.interactive)
    throw new HostingError('INVALID_REQUEST', `${flag} is required without a terminal.`)
  const prompt = await openPrompts()
  const { secret } = await prompt([
    { type: 'password', name: 'secret', message: printable(question), mask: '*' },
  ])
  return secret
}

/** Prompts on standard error, because standard output may be a pipe. */
export async function openPrompts({ signal }: { signal?: AbortSignal } = {}) {
  const { default: inquirer } = await import('inquirer')
  return inquirer.createPromptModule({ output: process.stderr, ...(signal && { signal }) })
}
