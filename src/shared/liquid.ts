import { Liquid } from 'liquidjs'

/**
 * The one Liquid engine of the product: no file system, own properties only, and the library's limits on, so that a
 * template can neither read the machine nor run away with it (https://liquidjs.com/tutorials/dos.html).
 */
export const LIQUID_LIMITS = { parseLimit: 100_000, renderLimit: 1000, memoryLimit: 10_000_000 } as const

export function createLiquid(): Liquid {
  const liquid = new Liquid({
    ...LIQUID_LIMITS,
    ownPropertyOnly: true,
    strictFilters: true,
    cache: false,
    relativeReference: false,
    templates: {},
    // A server must answer alike wherever it runs. Asking for the machine's locale would cost 13 ms and 8 MB as well.
    timezoneOffset: 0,
    locale: 'en-US',
  })
  // There are no other files to include: naming one is a mistake to be told at build time, not at the first call.
  for (const tag of ['include', 'render', 'layout', 'block']) delete liquid.tags[tag]
  return liquid
}

let engine: Liquid | undefined

/** Made on first use: a process that parses nothing does not pay for it. */
export function liquidEngine(): Liquid {
  engine ??= createLiquid()
  return engine
}

export function isTemplate(source: string): boolean {
  return source.includes('{{') || source.includes('{%')
}
