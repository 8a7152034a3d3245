/**
 * JavaScript's own functions, captured before user code can replace them. Guards in a process with user code use these functions
 * and avoid implicit method lookups: spread and array destructuring, `for…of`, `.call`, and methods of arrays, sets and maps.
 */
export const { apply, getPrototypeOf, setPrototypeOf, ownKeys, getOwnPropertyDescriptor } = Reflect
export const { hasOwn } = Object
export const { parse, stringify } = JSON
export const { min, ceil, round } = Math
export const performanceNow = performance.now.bind(performance)
export const dateNow = Date.now
export const setTimer = setTimeout
export const clearTimer = clearTimeout

const { defineProperty } = Object

type Method<This, Args extends unknown[], Result> = (this: This, ...args: Args) => Result

/** Converts a method to a function whose first argument is `this`. */
export function uncurryThis<This, Args extends unknown[], Result>(
  method: Method<This, Args, Result>,
): (self: This, ...args: Args) => Result {
  return (self, ...args) => apply(method, self, args)
}

export const indexOf = uncurryThis<string, [search: string, from?: number], number>(String.prototype.indexOf)
export const slice = uncurryThis<string, [start: number, end?: number], string>(String.prototype.slice)
export const bytesOf = Buffer.from as (from: string | Uint8Array) => Buffer
export const subarray = uncurryThis<Buffer, [start: number], Buffer>(Buffer.prototype.subarray as never)
export const toIsoString = (() => {
  const iso = uncurryThis<Date, [], string>(Date.prototype.toISOString)
  const NativeDate = Date
  return (unixMs: number) => iso(new NativeDate(unixMs))
})()

/** An object without a prototype, which contains only its own members. */
export function bare<Value extends object>(members?: Value): Value {
  return { __proto__: null, ...members } as Value
}

/** Defines a property without using setters or descriptors that user code may have put into prototypes. */
export function define(
  target: object,
  key: PropertyKey,
  { value, writable = true }: { value: unknown; writable?: boolean },
): void {
  defineProperty(
    target,
    key,
    bare({ value, writable, configurable: writable, enumerable: true }) as PropertyDescriptor,
  )
}

/** Replaces every occurrence of `search`, which must not be empty. */
export function replaceEvery(text: string, search: string, replacement: string): string {
  let result = ''
  let from = 0
  for (let at = indexOf(text, search); at !== -1; at = indexOf(text, search, from)) {
    result += slice(text, from, at) + replacement
    from = at + search.length
  }
  return from === 0 ? text : result + slice(text, from)
}
