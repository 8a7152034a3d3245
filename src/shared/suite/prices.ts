import type { Usage } from '../contract/testing/test-results.ts'

/** US dollars per million tokens. */
export interface Price {
  input: number
  output: number
  /** Cached input. Defaults to the price of other input. */
  cached?: number
}

export type PriceTable = Readonly<Record<string, Price>>

/** List prices of November 2026. Entries of a `prices.json` next to the configuration override them. */
export const LIST_PRICES: PriceTable = {
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
