import { storeError } from './store-error.ts'

/**
 * Text of a JSON value. Throws INVALID_VALUE for values that JSON cannot represent, such as functions, `NaN` and `Map`. Objects
 * with `toJSON`, such as dates, are stored as the result of that method.
 */
export function toJson(value: unknown): string {
  let text: string | undefined
  try {
    text = JSON.stringify(value, refuseOthers)
  } catch (error) {
    if ((error as Error).name === 'StoreError') throw error
    throw storeError('INVALID_VALUE', `The value cannot be stored as JSON: ${(error as Error).message}`)
  }
  if (text === undefined) throw storeError('INVALID_VALUE', 'The value is undefined. Use delete() instead.')
  return text
}

function refuseOthers(this: unknown, key: string, value: unknown): unknown {
  const what = describeOther(value, Array.isArray(this))
  if (what === undefined) return value
  const where = key === '' ? 'The value' : `"${key}" in the value`
  throw storeError('INVALID_VALUE', `${where} is ${what}, which JSON cannot express.`)
}

/** Undefined for values that JSON can represent, and for undefined members of objects, which are left out. */
function describeOther(value: unknown, isElement: boolean): string | undefined {
  if (value === undefined) return isElement ? 'undefined' : undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value)
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    return `a ${typeof value}`
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const prototype = Object.getPrototypeOf(value)
  // Each realm has its own `Object.prototype`, the end of the prototype chain.
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined
  return `an instance of ${prototype.constructor?.name || 'a class'}`
}
