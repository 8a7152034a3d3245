import { quoteShellWord } from '../../shared/shell-words.ts'
import type { CommandContext } from '../command-line/command-context.ts'

/** Options whose values may be secret, with what is shown instead. Errors end up in logs. */
const MASKS: Readonly<Record<string, (value: string) => string>> = {
  '--api-key': () => '<key>',
  '--command': () => '<command>',
  '--token': () => '<token>',
  '--set': value => value.replace(/=.*/s, '=<value>'),
}

/**
 * The command line of the running command with the added words, to copy into a shell. Values that may be secret are left for the
 * user to fill in.
 */
export function repeatedCommand({ words }: Pick<CommandContext, 'words'>, ...added: string[]): string {
  const end = words.includes('--') ? words.indexOf('--') : words.length
  return ['mcp', ...maskValues(words).toSpliced(end, 0, ...added)].map(quoteShellWord).join(' ')
}

/** Like `repeatedCommand`. Undefined if values that may be secret would be left out. */
export function completeCommand(
  { words }: Pick<CommandContext, 'words'>,
  ...added: string[]
): string | undefined {
  const isComplete = maskValues(words).every((word, index) => word === words[index])
  return isComplete ? repeatedCommand({ words }, ...added) : undefined
}

function maskValues(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const [, option = '', value = ''] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? []
    if (MASKS[option]) return `${option}=${MASKS[option](value)}`
    return MASKS[words[index - 1] ?? '']?.(word) ?? word
  })
}
