import type { CommandContext } from './command-context.ts'
import type { ExitCode } from './exit-codes.ts'

/**
 * A command is data: what it is called, what it takes, what it does. `program.ts` turns the declaration into a parser
 * and a help page; `run` holds no business rule: parse → one call → print.
 */
export interface Command {
  /** As it is typed after `mcp`, for example `keys create`. */
  name: string
  /** One line, without a full stop; the same as in `command-list.ts`. */
  summary: string
  /** Longer explanation under the usage line of `--help`. */
  description?: string
  /** Positional arguments in the order of the keys. The key is the name in `input` and in the usage line. */
  arguments?: Record<string, ArgumentDeclaration>
  /** Options; the key is the name in `input`, its kebab-case the flag: `envFile` → `--env-file`. */
  options?: Record<string, OptionDeclaration>
  examples?: readonly Example[]
  /** Words after `--` and unknown options are passed on in the last, variadic argument. */
  passThrough?: boolean
  /** Returns the exit code, nothing for 0. Throws HostingError; anything else thrown is a bug and ends with 70. */
  // biome-ignore lint/suspicious/noExplicitAny: `defineCommand` checks the input of each command; the list holds them all.
  run(context: CommandContext, input: any): Promise<ExitCode | undefined> | ExitCode | undefined
}

export interface ArgumentDeclaration {
  doc: string
  required?: boolean
  /** Takes all remaining words; only for the last argument. */
  variadic?: boolean
  /** Shown in help; `input` gets it when the argument is left out. */
  default?: string
}

export interface OptionDeclaration {
  /**
   * `boolean`: a switch (with `default: true` it is declared as `--no-…`) · `string` · `integer` · `number` · `duration`: such as
   * `10m`, given to `run` in milliseconds · `list`: a string, may be repeated; `[]` when absent.
   */
  type: 'boolean' | 'string' | 'integer' | 'number' | 'duration' | 'list'
  doc: string
  /** One letter. */
  short?: string
  /** Name of the value in help: `--env <environment>`. Default: the type. */
  value?: string
  choices?: readonly string[]
  /** The value may be left out, and is then `''`: `--image [ref]`. */
  isValueOptional?: boolean
  default?: string | number | boolean
  /** Left out of help and completion. */
  hidden?: boolean
}

export interface Example {
  command: string
  does: string
}

type ArgumentValue<A> = A extends { variadic: true }
  ? string[]
  : A extends { required: true } | { default: string }
    ? string
    : string | undefined

type OptionValue<O> = O extends { type: 'boolean' }
  ? boolean
  : O extends { type: 'list' }
    ? string[]
    : O extends { type: 'integer' | 'number' | 'duration' }
      ? O extends { default: number }
        ? number
        : number | undefined
      : O extends { choices: readonly (infer C)[] }
        ? O extends { default: string }
          ? C
          : C | undefined
        : O extends { default: string }
          ? string
          : string | undefined

/** What `run` gets: every declared argument and option under its key. */
export type Input<A, O> = { [K in keyof A]: ArgumentValue<A[K]> } & { [K in keyof O]: OptionValue<O[K]> }

// biome-ignore lint/complexity/noBannedTypes: a command that declares neither has an empty input, and `{}` is its type.
type None = {}

// biome-ignore lint/suspicious/noConfusingVoidType: a `run` without a return statement has this type.
type Done = ExitCode | undefined | void

/** Declares a command; the type of `input` follows from its arguments and options. */
export function defineCommand<
  const A extends Record<string, ArgumentDeclaration> = None,
  const O extends Record<string, OptionDeclaration> = None,
>(
  command: Omit<Command, 'arguments' | 'options' | 'run'> & {
    arguments?: A
    options?: O
    run(context: CommandContext, input: Input<A, O>): Promise<Done> | Done
  },
): Command {
  return command as Command
}

/** As it is typed: `envFile` → `--env-file`; a switch that is on without it, such as `color`: `--no-color`. */
export function flagOf(key: string, { type, default: value }: OptionDeclaration): string {
  return `--${type === 'boolean' && value === true ? 'no-' : ''}${toKebabCase(key)}`
}

/** `envFile` → `env-file`. */
export function toKebabCase(key: string): string {
  return key.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}
