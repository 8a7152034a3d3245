import { type Context, type FilterImplOptions, Liquid } from 'liquidjs'

/**
 * Limits of LiquidJS (https://liquidjs.com/tutorials/dos.html). Templates share their process with other servers, which wait at
 * most about 250 ms before an excessive template is stopped.
 */
const LIQUID_LIMITS = {
  /** Characters of a template. */
  parseLimit: 100_000,
  /** Milliseconds per rendering. */
  renderLimit: 200,
  /** Characters and list entries that filters, ranges and assignments process per rendering. */
  memoryLimit: 5_000_000,
} as const

/** Additional cost of a list entry, in units of `memoryLimit`, for filters that are slower than Liquid assumes. */
const ENTRY_COSTS: Readonly<Record<string, number>> = { sort: 20, sort_natural: 50, join: 5 }

export function createLiquid(): Liquid {
  const liquid = new Liquid({
    ...LIQUID_LIMITS,
    ownPropertyOnly: true,
    strictFilters: true,
    cache: false,
    relativeReference: false,
    templates: {},
    // Answers must be the same on every machine. Detecting the locale would also take 13 ms and 8 MB.
    timezoneOffset: 0,
    locale: 'en-US',
  })
  // Removes the tags that include files, so that using them fails at build time instead of in the first call.
  for (const tag of ['include', 'render', 'layout', 'block']) delete liquid.tags[tag]
  for (const [name, filter] of Object.entries(liquid.filters))
    liquid.registerFilter(name, boundFilter(filter, ENTRY_COSTS[name] ?? 0))
  return liquid
}

let engine: Liquid | undefined

/** Created on first use, because not every process parses templates. */
export function liquidEngine(): Liquid {
  engine ??= createLiquid()
  return engine
}

export function isTemplate(source: string): boolean {
  return source.includes('{{') || source.includes('{%')
}

type FilterHandler = Extract<FilterImplOptions, (...args: never[]) => unknown>

/** Checks the time limit for every list entry that a filter processes. Liquid itself checks it only between tags. */
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
