import { currencyCode } from '../lexicon/currencies.ts'
import type { Mention } from './mention.ts'
import { textOf } from './mention.ts'
import type { Token } from './tokens.ts'

/** Finds names and codes of currencies. Prefers the longest match: "Canadian dollars" before "dollars". */
export function findCurrencies(text: string, tokens: Token[]): Mention[] {
  const found: Mention[] = []
  for (let at = 0; at < tokens.length; at++) {
    for (let length = 3; length >= 1; length--) {
      const part = tokens.slice(at, at + length)
      if (part.length < length || part.some(token => token.kind !== 'word')) continue
      const code = currencyCode(part.map(token => token.lower).join(' '), part[0]!.text)
      if (!code) continue
      found.push({
        kind: 'currency',
        from: at,
        to: at + length,
        text: textOf(text, tokens, at, at + length),
        code,
      })
      at += length - 1
      break
    }
  }
  return found
}
