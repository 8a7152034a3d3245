/**
 * Made for the first who needs it, and then everybody's. What failed is made anew for the next: descriptors, or room on the
 * disk, may only have run out for a moment.
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

  /** Undefined when nobody has needed it, or it could not be made. */
  async find(): Promise<T | undefined> {
    return this.#made?.catch(() => undefined)
  }
}
