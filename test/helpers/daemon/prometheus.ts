import { createRequire } from 'node:module'

interface ParsedSample {
  labels?: Record<string, string>
  value?: string
  buckets?: Record<string, string>
  count?: string
  sum?: string
}

export interface ParsedFamily {
  name: string
  help: string
  type: string
  metrics: ParsedSample[]
}

/** The parser has no types. */
const parse: (text: string) => ParsedFamily[] = createRequire(import.meta.url)('parse-prometheus-text-format')

/** Metric families on a page by name. Throws if the page is malformed. */
export function parsePage(text: string): Map<string, ParsedFamily> {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  const broken = lines.filter(line => !SAMPLE.test(line))
  if (broken.length > 0) throw new Error(`not a sample in the text format: ${broken[0]}`)
  return new Map(parse(text).map(family => [family.name, family]))
}

/** Grammar of a sample. The parser is lenient. */
const SAMPLE =
  /^[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\\n]|\\[\\"n])*",?)*\})? (-?\d+(\.\d+)?(e[+-]?\d+)?|[+-]Inf|NaN)$/
