import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Usage } from '../../shared/contract/projects/test-results.ts'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'

/** US dollars per million tokens. */
interface Price {
  input: number
  output: number
  /** Cached input. Defaults to the price of other input. */
  cached?: number
}

export type PriceTable = Readonly<Record<string, Price>>

/** List prices of November 2026. Entries of a `prices.json` next to the configuration override them. */
const LIST_PRICES: PriceTable = {
  'claude-opus-5-5': { input: 4, output: 20, cached: 0.2 },
  'claude-sonnet-5-5': { input: 2, output: 10, cached: 0.1 },
  'claude-haiku-5-5': { input: 0.1, output: 0.5, cached: 0.01 },
  'claude-opus-4-5': { input: 5, output: 25, cached: 0.5 },
  'claude-sonnet-4-5': { input: 3, output: 15, cached: 0.3 },
  'claude-haiku-4-5': { input: 1, output: 5, cached: 0.1 },
  'gpt-5.4': { input: 2.5, output: 15, cached: 0.25 },
  'gpt-5.2': { input: 1.75, output: 14, cached: 0.175 },
  'gpt-5.1': { input: 1.25, output: 10, cached: 0.125 },
  'gpt-5': { input: 1.25, output: 10, cached: 0.125 },
  'gpt-5-mini': { input: 0.25, output: 2, cached: 0.025 },
  'gpt-5-nano': { input: 0.05, output: 0.4, cached: 0.005 },
  embedded: { input: 0, output: 0 },
}

export function pricesPath(paths: HomePaths): string {
  return join(dirname(paths.config), 'prices.json')
}

/**
 * List prices, overridden by those of `given` or of the file next to the configuration. Throws NOT_FOUND for a missing
 * `given` file and INVALID_REQUEST for an invalid one.
 */
export function loadPrices(given: string | undefined, usual: string): PriceTable {
  const file = given ?? usual
  if (!existsSync(file)) {
    if (given === undefined) return LIST_PRICES
    throw new HostingError('NOT_FOUND', `Price table ${given} does not exist.`)
  }
  let own: unknown
  try {
    own = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new HostingError('INVALID_REQUEST', `${file} is not JSON: ${(cause as Error).message}`, { cause })
  }
  for (const [model, price] of Object.entries(own ?? { '': own }))
    if (!isPrice(price))
      throw new HostingError(
        'INVALID_REQUEST',
        `${file}: "${model}" must be {"input": dollars, "output": dollars} per million tokens.`,
      )
  return { ...LIST_PRICES, ...(own as PriceTable) }
}

/** Vendors append the date of a snapshot to a model's name. */
const SNAPSHOT = /-(\d{4}-?\d{2}-?\d{2}|latest)$/

/** Cost in US dollars. Undefined for a model without a price. */
export function costOf(
  table: PriceTable,
  model: string | undefined,
  usage: Usage | undefined,
): number | undefined {
  if (model === undefined || usage === undefined) return undefined
  const price = table[model] ?? table[model.replace(SNAPSHOT, '')]
  if (!price) return undefined
  const cached = usage.cached_input_tokens
  const dollars =
    (usage.input_tokens - cached) * price.input +
    cached * (price.cached ?? price.input) +
    usage.output_tokens * price.output
  return dollars / 1_000_000
}

function isPrice(value: unknown): value is Price {
  const { input, output, cached = 0 } = (value ?? {}) as Record<string, unknown>
  return [input, output, cached].every(number => typeof number === 'number' && number >= 0)
}
