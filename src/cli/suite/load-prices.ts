import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { LIST_PRICES, type Price, type PriceTable } from '../../shared/suite/prices.ts'

export function pricesPath(paths: HomePaths): string {
  return join(dirname(paths.config), 'prices.json')
}

/**
 * List prices, overridden by the prices in `given` or in the file next to the configuration. Throws NOT_FOUND for a missing
 * `given` file and INVALID_REQUEST for an invalid one.
 */
export function loadPrices(given: string | undefined, defaultFile: string): PriceTable {
  const file = given ?? defaultFile
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

function isPrice(value: unknown): value is Price {
  const { input, output, cached = 0 } = (value ?? {}) as Record<string, unknown>
  return [input, output, cached].every(number => typeof number === 'number' && number >= 0)
}
