import type { ValidateFunction } from 'ajv'

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

/** Not recursive, because a request may be nested more deeply than the stack. */
function setPrototypes(root: unknown, prototype: object | null): void {
  const pending = [root]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) Object.setPrototypeOf(value, prototype)
    for (const member of Object.values(value)) pending.push(member)
  }
}
