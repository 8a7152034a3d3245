/**
 * A value that is created by the first `get` and shared by all later ones. After a failure, the next call tries again,
 * because a lack of file descriptors or disk space may be temporary.
 */
export class Lazy<T> {
  readonly #make: () => Promise<T>
  #made: Promise<T> | undefined

  constructor(make: () => Promise<T>) {
    this.#make = make
  }

  get(): Promise<T> {
    this.#made ??= this.#make().catch(error => {
      this.#made = undefined
      throw error
    })
    return this.#made
  }

  /** Undefined when the value was not requested yet, or when creating it failed. */
  async find(): Promise<T | undefined> {
    return this.#made?.catch(() => undefined)
  }
}
