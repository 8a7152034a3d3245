import { HostingError } from '../../shared/errors.ts'
import { nearestName } from '../../shared/names.ts'

/** Throws NOT_FOUND with a similar name or a list of names. `kind` is for example `tool`. */
export function getNamed<T extends { name: string }>(kind: string, all: readonly T[], name: string): T {
  const found = all.find(one => one.name === name)
  if (found) return found
  const names = all.map(one => one.name)
  throw new HostingError('NOT_FOUND', unknownName(kind, name, names))
}

/** `Unknown tool "wether". Did you mean "weather"?` */
export function unknownName(kind: string, name: string, names: readonly string[]): string {
  const near = nearestName(name, names)
  if (near) return `Unknown ${kind} "${name}". Did you mean "${near}"?`
  if (names.length === 0) return `Unknown ${kind} "${name}". The server has no ${kind}s.`
  const shown =
    names.length > 20 ? `${names.slice(0, 20).join(', ')} and ${names.length - 20} more` : names.join(', ')
  return `Unknown ${kind} "${name}". Known: ${shown}.`
}
