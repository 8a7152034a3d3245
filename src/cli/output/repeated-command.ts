import type { CommandContext } from '../command-line/command-context.ts'
import { quoteShellWord } from '../project/shell-words.ts'

/** The command line of the running command with more words, to copy into a shell. The value of `--api-key` is a placeholder. */
export function repeatedCommand({ words }: Pick<CommandContext, 'words'>, ...added: string[]): string {
  const end = words.includes('--') ? words.indexOf('--') : words.length
  return ['mcp', ...withoutKey(words).toSpliced(end, 0, ...added)].map(quoteShellWord).join(' ')
}

function withoutKey(words: readonly string[]): string[] {
  return words.map((word, index) => {
    if (words[index - 1] === '--api-key') return PLACEHOLDER
    return word.startsWith('--api-key=') ? `--api-key=${PLACEHOLDER}` : word
  })
}

const PLACEHOLDER = '<key>'
