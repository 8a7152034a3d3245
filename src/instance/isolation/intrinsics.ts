/**
 * JavaScript's own functions as they were before user code was loaded, which may replace any of them later. Code that runs
 * next to user code and guards something uses these, and avoids what looks a method up behind the scenes: spread and array
 * destructuring, `for…of`, `.call`, methods of arrays, sets and maps.
 */
export const { apply, getPrototypeOf, setPrototypeOf, ownKeys, getOwnPropertyDescriptor } = Reflect
export const { hasOwn } = Object
export const { parse, stringify } = JSON
export const { min, ceil, round, trunc } = Math
export const performanceNow = performance.now.bind(performance)
export const dateNow = Date.now
export const setTimer = setTimeout
export const clearTimer = clearTimeout

const { defineProperty } = Object

type Method<This, Args extends unknown[], Result> = (this: This, ...args: Args) => Result

/** A method as a function whose first argument is `this`. */
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
  const Moment = Date
  return (unixMs: number) => iso(new Moment(unixMs))
})()

/** An object without a prototype, so that nothing is found in it but what was put there. */
export function bare<Value extends object>(members?: Value): Value {
  return { __proto__: null, ...members } as Value
}

/** Defines a property whatever setters and descriptors user code has put into prototypes. */
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

/** Every occurrence of `search`, which is not empty, replaced. */
export function replaceEvery(text: string, search: string, replacement: string): string {
  let result = ''
  let from = 0
  for (let at = indexOf(text, search); at !== -1; at = indexOf(text, search, from)) {
    result += slice(text, from, at) + replacement
    from = at + search.length
  }
  return from === 0 ? text : result + slice(text, from)
}
