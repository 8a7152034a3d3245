import { define } from './intrinsics.ts'

const Refusal = Error

/** Replaces a function that handler modules may not have. */
export function denied(name: string): () => never {
  // A function that classes may extend.
  return () => {
    throw refusal(name)
  }
}

export function refusal(name: string): Error {
  const error = new Refusal(`${name} is not available to handler modules (docs/isolation.md)`)
  define(error, 'code', { value: 'ERR_ACCESS_DENIED' })
  return error
}

/** Something that must be sealed was not found: this Node is not one that the seals are made for. */
export class SealError extends Error {
  override readonly name = 'SealError'
}

type Functions = Record<string, unknown>

/** Replaces each of these functions with a refusal. Throws a SealError for one that does not exist. */
export function denyAll(target: object, names: readonly string[], prefix: string): void {
  for (const name of names) {
    if (typeof (target as Functions)[name] !== 'function')
      throw new SealError(`${prefix}.${name} was not found.`)
    replace(target, name, denied(`${prefix}.${name}`))
  }
}

/** The same for functions that not every supported Node line has. */
export function deny(target: object, names: readonly string[], prefix: string): void {
  for (const name of names)
    if (typeof (target as Functions)[name] === 'function') denyAll(target, [name], prefix)
}

/** Stays writable: libraries wrap Node's functions, and the replacement is all they can reach. */
export function replace(target: object, name: string | symbol, value: unknown): void {
  define(target, name, { value })
}
