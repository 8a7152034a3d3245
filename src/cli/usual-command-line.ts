import { type Command, flagOf, type OptionDeclaration } from './command.ts'
import { GLOBAL_OPTIONS, type GlobalInput } from './global-options.ts'
import { absentValue, parseOptionValue } from './option-value.ts'

export interface ParsedCommandLine {
  globals: GlobalInput
  input: Record<string, unknown>
}

type Options = Record<string, OptionDeclaration>
type Values = Record<string, unknown>

/**
 * A line of declared flags with their values and of no word too many or too few, read as commander reads it. Undefined
 * for any other: help, joined short flags, `--`, a value that looks like a flag, and whatever is wrong.
 */
export function readUsualLine(command: Command, argv: readonly string[]): ParsedCommandLine | undefined {
  const { options = {}, passThrough } = command
  const line = passThrough ? undefined : readFlags({ ...options, ...GLOBAL_OPTIONS }, argv)
  const words = line && readWords(command, line.words)
  if (!words) return undefined
  return {
    globals: pick(GLOBAL_OPTIONS, line.values) as GlobalInput,
    input: { ...words, ...pick(options, line.values) },
  }
}

function readFlags(
  options: Options,
  argv: readonly string[],
): { words: string[]; values: Values } | undefined {
  const flags = keysOfFlags(options)
  const words: string[] = []
  const values: Values = {}
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index]!
    if (!isFlag(word)) {
      words.push(word)
      continue
    }
    const [, flag = word, joined] = /^(--[^=]+)=(.*)$/s.exec(word) ?? []
    const key = flags.get(flag)
    if (key === undefined) return undefined
    const takesNext = options[key]!.type !== 'boolean' && joined === undefined
    const value = readValue(options[key]!, flag, takesNext ? argv[++index] : joined, values[key])
    if (value === undefined) return undefined
    values[key] = value
  }
  return { words, values }
}

/** Long and short flags as they are typed; those whose value may be left out are not usual. */
function keysOfFlags(options: Options): Map<string, string> {
  const flags = new Map<string, string>()
  for (const [key, option] of Object.entries(options)) {
    if (option.isValueOptional) continue
    flags.set(flagOf(key, option), key)
    if (option.short !== undefined) flags.set(`-${option.short}`, key)
  }
  return flags
}

function readValue(
  option: OptionDeclaration,
  flag: string,
  text: string | undefined,
  before: unknown,
): unknown {
  if (option.type === 'boolean') return text === undefined ? option.default !== true : undefined
  if (text === undefined || isFlag(text) || option.choices?.includes(text) === false) return undefined
  try {
    return parseOptionValue(option, flag, text, before)
  } catch {
    // commander comes to it as well and tells what is wrong.
    return undefined
  }
}

function readWords({ arguments: declared = {} }: Command, words: readonly string[]): Values | undefined {
  const entries = Object.entries(declared)
  const isOpen = entries.at(-1)?.[1].variadic
  if (words.length > entries.length && !isOpen) return undefined
  const input: Values = {}
  for (const [index, [key, { required, variadic, default: value }]] of entries.entries()) {
    if (required && words[index] === undefined) return undefined
    input[key] = variadic ? words.slice(index) : (words[index] ?? value)
  }
  return input
}

function pick(options: Options, values: Values): Values {
  return Object.fromEntries(
    Object.entries(options).map(([key, option]) => [key, values[key] ?? absentValue(option)]),
  )
}

/** A dash alone is a word. */
function isFlag(word: string): boolean {
  return word.startsWith('-') && word.length > 1
}
