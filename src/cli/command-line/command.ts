import type { CommandContext } from './command-context.ts'
import type { ArgumentDeclaration, Input, OptionDeclaration } from './declaration.ts'
import type { ExitCode } from './exit-codes.ts'

/**
 * A command as data. `parse-command-line.ts` turns the declaration into a parser and a help page. `run` holds no business
 * rule: parse → one call → print.
 */
export interface Command {
  /** Words after `mcp`, for example `keys create`. */
  name: string
  /** Explanation under the usage line of `--help`. Default: the summary in `command-list.ts`. */
  description?: string
  /** Positional arguments in order. The key is the name in `input` and in the usage line. */
  arguments?: Record<string, ArgumentDeclaration>
  /** Options. The key is the name in `input`, and its kebab-case is the flag: `envFile` → `--env-file`. */
  options?: Record<string, OptionDeclaration>
  /** Command lines and what each one does. */
  examples?: Readonly<Record<string, string>>
  /** Passes words after `--` and unknown options to the last argument, which is variadic. */
  passThrough?: boolean
  /** Returns the exit code, or nothing for 0. Throws HostingError. Any other error is a bug (exit code 70). */
  // biome-ignore lint/suspicious/noExplicitAny: `defineCommand` checks the input type of each command.
  run(context: CommandContext, input: any): Promise<ExitCode | undefined> | ExitCode | undefined
}

// biome-ignore lint/complexity/noBannedTypes: the input of a command without arguments and options is empty.
type NoInput = {}

// biome-ignore lint/suspicious/noConfusingVoidType: a `run` without a return statement has this type.
type RunResult = ExitCode | undefined | void

/** Declares a command and infers the type of `input` from its arguments and options. */
export function defineCommand<
  const A extends Record<string, ArgumentDeclaration> = NoInput,
  const O extends Record<string, OptionDeclaration> = NoInput,
>(
  command: Omit<Command, 'arguments' | 'options' | 'run'> & {
    arguments?: A
    options?: O
    run(context: CommandContext, input: Input<A, O>): Promise<RunResult> | RunResult
  },
): Command {
  return command as Command
}
