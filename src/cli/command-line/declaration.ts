/** Kind of value that an argument or option takes. Completion and questions at a terminal list values by kind (`choices/`). */
export type ValueKind =
  | 'server'
  | 'tool'
  | 'tool arguments'
  | 'resource'
  | 'prompt'
  | 'prompt arguments'
  | 'variable'
  | 'store key'
  | 'project'
  | 'key'
  | 'chat'
  | 'suite run'
  | 'subdomain'
  | 'context'
  | 'model'
  | 'file'

export interface ArgumentDeclaration {
  doc: string
  kind?: ValueKind
  /** All values, for completion and questions. */
  choices?: readonly string[]
  /** At a terminal, a missing value is picked from a list or asked for. Elsewhere, the command fails with a usage error. */
  required?: boolean
  /** Must be given when there is no terminal, because the command cannot be undone. */
  isNeverImplied?: boolean
  /** May name something new. `kind` lists what exists for completion, but a question asks for text. */
  mayBeNew?: boolean
  /** Takes all remaining words. Last argument only. */
  variadic?: boolean
  /** Value in `input` when the argument is omitted. Shown in help. */
  default?: string
}

export interface OptionDeclaration {
  /**
   * `boolean`: a switch, `--no-…` with `default: true` · `string` · `integer` · `number` · `duration`: such as `10m`, passed
   * to `run` in milliseconds · `list`: a string that may be repeated, default `[]`.
   */
  type: 'boolean' | 'string' | 'integer' | 'number' | 'duration' | 'list'
  doc: string
  /** One letter. */
  short?: string
  kind?: ValueKind
  /** Name of the value in help: `--env <environment>`. Defaults to the type. */
  value?: string
  choices?: readonly string[]
  /** The value may be omitted and is then `''`: `--image [ref]`. */
  isValueOptional?: boolean
  default?: string | number | boolean
  /** Hides the option from help and completion. */
  hidden?: boolean
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

/** Values of declared options under their keys. */
export type OptionValues<O> = { [K in keyof O]: OptionValue<O[K]> }

/** Every declared argument and option under its key. */
export type Input<A, O> = { [K in keyof A]: ArgumentValue<A[K]> } & OptionValues<O>

/** `envFile` → `--env-file`. A switch that is on by default, such as `color`: `--no-color`. */
export function flagOf(key: string, { type, default: value }: OptionDeclaration): string {
  return `--${type === 'boolean' && value === true ? 'no-' : ''}${toKebabCase(key)}`
}

/** `envFile` → `env-file`. */
export function toKebabCase(key: string): string {
  return key.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}
