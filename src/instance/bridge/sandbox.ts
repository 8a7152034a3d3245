import { existsSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, parse } from 'node:path'
import { type Bubblewrap, findBubblewrap, SANDBOX_BASE } from '../../shared/bubblewrap.ts'
import type { Tenant } from '../../shared/instance-protocol.ts'
import { ChildStartError } from './child-start-error.ts'
import type { CommandLine, ExistingProgram } from './command-line.ts'

/** Looked for once a process. */
let found: Bubblewrap | undefined

/**
 * The same program inside of bubblewrap (https://github.com/containers/bubblewrap), as its `isolation.sandbox` wants it:
 * `auto` where that works, `required` or an error, `off` never. What it may see and write: docs/isolation.md.
 */
export function sandboxed(line: CommandLine, program: ExistingProgram, tenant: Tenant): CommandLine {
  const { sandbox, writable } = settingsOf(program)
  if (sandbox === 'off') return line
  found ??= findBubblewrap(line.env.PATH ?? '')
  // Who gives a program the name of a folder means it to use that.
  const named = [...line.args, ...Object.values(tenant.env), ...writable].filter(isAbsolute)
  if (found.usable) return { ...line, ...wrap(found.file, line, { place: tenant.program!, named }) }
  if (sandbox === 'auto') return line
  throw new ChildStartError(
    `its isolation.sandbox is "required", but ${found.why}; install bubblewrap (apt install bubblewrap) or set it to "auto"`,
  )
}

function settingsOf({ isolation }: ExistingProgram) {
  const settings = typeof isolation === 'object' ? isolation : undefined
  return { sandbox: settings?.sandbox ?? 'auto', writable: settings?.writable ?? [] }
}

interface Places {
  place: NonNullable<Tenant['program']>
  /** Absolute paths of what it is to use outside of its own folder. */
  named: readonly string[]
}

function wrap(bubblewrap: string, line: CommandLine, places: Places): Pick<CommandLine, 'file' | 'args'> {
  return { file: bubblewrap, args: [...sandboxArguments(line, places), '--', line.file, ...line.args] }
}

/** Later ones lie on top of earlier ones. */
export function sandboxArguments({ file, args, cwd }: CommandLine, { place, named }: Places): string[] {
  const there = named.filter(path => existsSync(path) && !isRoot(path))
  const folders = there.filter(path => statSync(path).isDirectory())
  const mentioned = [file, realpathSync(file), cwd, ...args, ...named]
  return [
    ...SANDBOX_BASE,
    // Sockets of the machine's services, a container engine's among them.
    ...(existsSync('/run') ? ['--tmpfs', '/run'] : []),
    ...RUN_KEPT.flatMap(path => ['--ro-bind-try', path, path]),
    ...readable(mentioned.flatMap(belowTemporary)),
    ...[...new Set(folders)].flatMap(path => ['--bind', path, path]),
    ...place.hidden.filter(path => existsSync(path)).flatMap(path => ['--tmpfs', path]),
    ...readable([place.packages, ...(place.source === undefined ? [] : [place.source])]),
    '--bind',
    place.folder,
    place.folder,
    '--chdir',
    cwd,
  ]
}

/** Names of hosts, and where some systems keep their programs. */
const RUN_KEPT = ['/run/systemd/resolve', '/run/current-system', '/run/wrappers']

/** Temporary files are its own; of the machine's it sees the folders that its command speaks of, in whatever words. */
function belowTemporary(text: string): string[] {
  return Array.from(text.matchAll(/\/tmp\/([^/\s'":;,=()]+)/g), ([, first]) => join('/tmp', first!))
}

function readable(paths: readonly string[]): string[] {
  const shown = new Set(paths.filter(path => existsSync(path) && !isRoot(path)))
  return [...shown].flatMap(path => ['--ro-bind', path, path])
}

function isRoot(path: string): boolean {
  return realpathSync(path) === parse(path).root
}
