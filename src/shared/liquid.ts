import { type Context, type FilterImplOptions, Liquid } from 'liquidjs'

/**
 * The one Liquid engine of the product: no file system, own properties only, and the library's limits on, so that a
 * template can neither read the machine nor run away with it (https://liquidjs.com/tutorials/dos.html). Templates share
 * their process with other servers, which wait for at most about 250 ms until one that does too much is stopped.
 */
const LIQUID_LIMITS = {
  /** Characters of a template. */
  parseLimit: 100_000,
  /** Milliseconds of one rendering. */
  renderLimit: 200,
  /** Characters and list entries that filters, ranges and assignments of one rendering go through. */
  memoryLimit: 5_000_000,
} as const

/** What a list entry costs in units of `memoryLimit` beyond the one that Liquid counts, where the work is not in proportion. */
const ENTRY_COSTS: Readonly<Record<string, number>> = { sort: 20, sort_natural: 50, join: 5 }

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
  for (const [name, filter] of Object.entries(liquid.filters))
    liquid.registerFilter(name, boundFilter(filter, ENTRY_COSTS[name] ?? 0))
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

type FilterHandler = Extract<FilterImplOptions, (...args: never[]) => unknown>

/** Liquid looks at the time between tags only: a filter that takes a list must look as well, entry by entry. */
function boundFilter(filter: FilterImplOptions, entryCost: number): FilterImplOptions {
  const handler = typeof filter === 'function' ? filter : filter.handler
  const bounded: FilterHandler = function (value, ...args) {
    if (entryCost > 0 && Array.isArray(value)) this.context.memoryLimit.use(value.length * entryCost)
    const result = handler.call(this, value, ...args)
    return isGenerator(result) ? withinTime(result, this.context) : result
  }
  return typeof filter === 'function' ? bounded : { ...filter, handler: bounded }
}

function isGenerator(value: unknown): value is Generator {
  return typeof (value as Generator | undefined)?.next === 'function'
}

function* withinTime(steps: Generator, { renderLimit }: Context): Generator {
  for (let step = steps.next(); ; step = steps.next(yield step.value)) {
    if (step.done) return step.value
    renderLimit.check(performance.now())
  }
}
