import { Liquid } from 'liquidjs'

/**
 * The one Liquid engine of the product: no file system, own properties only, and the library's limits on, so that a
 * template can neither read the machine nor run away with it (https://liquidjs.com/tutorials/dos.html).
 */
export const LIQUID_LIMITS = { parseLimit: 100_000, renderLimit: 1000, memoryLimit: 10_000_000 } as const

export function createLiquid(): Liquid {
  return new Liquid({
    ...LIQUID_LIMITS,
    ownPropertyOnly: true,
    strictFilters: true,
    cache: false,
    relativeReference: false,
    templates: {},
  })
}
