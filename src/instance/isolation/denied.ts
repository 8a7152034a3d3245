import { define } from './intrinsics.ts'

const Refusal = Error

/** Replacement for a function that handler modules may not call. */
export function denyCall(name: string): () => never {
  return () => {
    throw refusal(name)
  }
}

export function refusal(name: string): Error {
  const error = new Refusal(`${name} is not available to handler modules (docs/isolation.md)`)
  define(error, 'code', { value: 'ERR_ACCESS_DENIED' })
  return error
}

/** An internal that must be sealed was not found, so the seals do not support this Node version. */
export class SealError extends Error {
  override readonly name = 'SealError'
}

type Functions = Record<string, unknown>

/** Replaces each function with one that throws. Throws a SealError if a function does not exist. */
export function denyAll(target: object, names: readonly string[], prefix: string): void {
  for (const name of names) {
    if (typeof (target as Functions)[name] !== 'function')
      throw new SealError(`${prefix}.${name} was not found.`)
    replace(target, name, denyCall(`${prefix}.${name}`))
  }
}

/** Like `denyAll`, for functions that not every supported Node version has. */
export function deny(target: object, names: readonly string[], prefix: string): void {
  for (const name of names)
    if (typeof (target as Functions)[name] === 'function') denyAll(target, [name], prefix)
}

/** Replaces a property. It stays writable, because libraries wrap Node's functions, and they can only reach the replacement. */
export function replace(target: object, name: string | symbol, value: unknown): void {
  define(target, name, { value })
}
