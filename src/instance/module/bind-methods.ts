/**
 * Makes the methods of a class usable without their object, as in `const { info } = context`. A method is bound each time it is
 * read, because binding all methods of each object would take longer than creating the object.
 */
export function bindMethods(prototype: object): void {
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const method = Object.getOwnPropertyDescriptor(prototype, name)!.value
    if (name === 'constructor' || typeof method !== 'function') continue
    Object.defineProperty(prototype, name, {
      configurable: true,
      get() {
        return method.bind(this)
      },
      /** Methods stay replaceable, for example by a wrapper that also writes to another log. */
      set(value) {
        Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true })
      },
    })
  }
}
