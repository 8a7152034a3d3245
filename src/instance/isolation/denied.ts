/** A function that handler modules may not have, in its place. */
export function denied(name: string): () => never {
  // A function that classes may extend.
  return () => {
    throw refusal(name)
  }
}

export function refusal(name: string): Error {
  return Object.assign(new Error(`${name} is not available to handler modules (docs/isolation.md)`), {
    code: 'ERR_ACCESS_DENIED',
  })
}

/** Something that must be sealed was not found: this Node is not one that the seals are made for. */
export class SealError extends Error {
  override readonly name = 'SealError'
}

type Functions = Record<string, unknown>

/** Replaces each of these functions with a refusal. Throws a SealError for one that does not exist. */
export function denyAll(target: object, names: readonly string[], prefix: string): void {
  const functions = target as Functions
  for (const name of names) {
    if (typeof functions[name] !== 'function') throw new SealError(`${prefix}.${name} was not found.`)
    replace(target, name, denied(`${prefix}.${name}`))
  }
}

/** The same for functions that not every supported Node line has. */
export function deny(target: object, names: readonly string[], prefix: string): void {
  const functions = target as Functions
  for (const name of names)
    if (typeof functions[name] === 'function') replace(target, name, denied(`${prefix}.${name}`))
}

/** Stays writable: libraries wrap functions of Node's, and what they can reach is the replacement. */
export function replace(target: object, name: string | symbol, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true })
}
