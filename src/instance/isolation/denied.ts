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

type Functions = Record<string, unknown>

/** Puts a refusal in the place of each of the functions that there is. */
export function deny(target: object, names: readonly string[], prefix: string): void {
  const functions = target as Functions
  for (const name of names)
    if (typeof functions[name] === 'function') replace(target, name, denied(`${prefix}.${name}`))
}

/** Stays writable: libraries wrap functions of Node's, and what they can reach is the replacement. */
export function replace(target: object, name: string | symbol, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true })
}
