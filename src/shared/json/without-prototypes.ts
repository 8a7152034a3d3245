import type { ValidateFunction } from 'ajv'

/**
 * True if a property with the name of an inherited one has a default. False if a value is compared with an object, because Ajv
 * finds objects without a prototype unequal.
 */
export function hasInheritedDefault(schema: object): boolean {
  let isFound = false
  const pending: unknown[] = [schema]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value !== 'object' || value === null) continue
    const { properties, const: constant, enum: values } = value as Partial<Record<string, object>>
    if (
      [constant, ...(Array.isArray(values) ? values : [])].some(
        one => typeof one === 'object' && one !== null,
      )
    )
      return false
    isFound ||= INHERITED.some(name => hasDefault(properties, name))
    pending.push(...Object.values(value))
  }
  return isFound
}

const INHERITED = Object.getOwnPropertyNames(Object.prototype)

function hasDefault(properties: object | undefined, name: string): boolean {
  if (typeof properties !== 'object' || properties === null || !Object.hasOwn(properties, name)) return false
  const property = (properties as Record<string, unknown>)[name]
  return typeof property === 'object' && property !== null && Object.hasOwn(property, 'default')
}

/** Validates plain data whose objects inherit no properties while they are validated. */
export function withoutPrototypes(validate: ValidateFunction): ValidateFunction {
  return new Proxy(validate, {
    apply(target, self, args) {
      setPrototypes(args[0], null)
      try {
        return Reflect.apply(target, self, args)
      } finally {
        setPrototypes(args[0], Object.prototype)
      }
    },
  })
}

/** Not recursive, because the nesting of a request could overflow the stack. */
function setPrototypes(root: unknown, prototype: object | null): void {
  const pending = [root]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) Object.setPrototypeOf(value, prototype)
    for (const member of Object.values(value)) pending.push(member)
  }
}
