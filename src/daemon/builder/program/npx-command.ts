import type { ProgramDefinition } from '../../../shared/definitions/definitions.ts'

/** Parsed `npx` command. */
export interface NpxCommand {
  /** For example `@modelcontextprotocol/server-everything@2026.8.31`. */
  spec: string
  /** Name of the package, without the version. */
  name: string
  /** Executable, if it is not the package's default. */
  bin: string | undefined
  args: string[]
}

/** Package from the registry with a version, tag or range. Not a path, URL or repository. */
const REGISTRY_SPEC = /^((?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)(?:@[\w.^~*<>=|+ -]+)?$/i
const HARMLESS_FLAGS = new Set(['-y', '--yes', '-q', '--quiet'])

/** Undefined for other commands, and for packages that only npx can fetch, such as one in a Git repository. */
export function parseNpx({ type, command, args }: ProgramDefinition): NpxCommand | undefined {
  if (type !== 'stdio' || command !== 'npx') return undefined
  const words = args.slice(args.findIndex(word => !HARMLESS_FLAGS.has(word)))
  if (words[0] === '-p' || words[0] === '--package') {
    const [, spec = '', separator, ...rest] = words
    const [bin, ...more] = separator === '--' ? rest : [separator ?? '', ...rest]
    return bin && !bin.startsWith('-') ? toCommand(spec, bin, more) : undefined
  }
  const [spec = '', ...more] = words[0] === '--' ? words.slice(1) : words
  return toCommand(spec, undefined, more)
}

function toCommand(spec: string, bin: string | undefined, args: string[]): NpxCommand | undefined {
  const name = REGISTRY_SPEC.exec(spec)?.[1]
  return name === undefined ? undefined : { spec, name, bin, args }
}
