/** Names of currencies by code (ISO 4217, BTC or ETH). */
const TABLE: Record<string, string> = {
  USD: 'usd|us dollar|us dollars|u.s. dollars|american dollars|american dollar|united states dollars|united states dollar|dollars|dollar',
  EUR: 'eur|euro|euros',
  GBP: 'gbp|british pound|british pounds|pounds sterling|pound sterling|sterling|great british pound',
  JPY: 'jpy|japanese yen|yen',
  CAD: 'cad|canadian dollar|canadian dollars',
  AUD: 'aud|australian dollar|australian dollars',
  NZD: 'nzd|new zealand dollar|new zealand dollars',
  CHF: 'chf|swiss franc|swiss francs',
  CNY: 'cny|rmb|chinese yuan|yuan|renminbi',
  INR: 'inr|indian rupee|indian rupees|rupees|rupee',
  KRW: 'krw|korean won|south korean won',
  MXN: 'mxn|mexican peso|mexican pesos|pesos',
  BRL: 'brl|brazilian real|brazilian reals|brazilian reais',
  RUB: 'rub|russian ruble|russian rubles|rubles',
  SEK: 'sek|swedish krona|swedish kronor',
  NOK: 'nok|norwegian krone|norwegian kroner',
  DKK: 'dkk|danish krone|danish kroner',
  PLN: 'pln|polish zloty',
  SGD: 'sgd|singapore dollar|singapore dollars',
  HKD: 'hkd|hong kong dollar|hong kong dollars',
  THB: 'thb|thai baht|baht',
  TRY: 'try|turkish lira',
  ZAR: 'zar|south african rand|rand',
  BTC: 'btc|bitcoin',
  ETH: 'eth|ethereum|ether',
}

const codes = new Map<string, string>()
for (const [code, names] of Object.entries(TABLE)) for (const name of names.split('|')) codes.set(name, code)

/** Finds a currency code by its lower-case name. Ambiguous names such as "try" and "rand" must be written in capitals. */
export function currencyCode(name: string, written: string): string | undefined {
  if (['try', 'rand', 'real', 'rub', 'pound', 'ether'].includes(name) && written !== written.toUpperCase())
    return undefined
  return codes.get(name)
}
