import type { JsonSchema } from '../../shared/json/json-schema.ts'
import { samplePattern } from './pattern.ts'

/** Fixed values, because samples must be reproducible. Reserved names and networks (RFC 2606, RFC 5737, RFC 3849). */
const FORMATS: Record<string, (seed: number) => string> = {
  date: seed => `2026-01-${twoDigits(1 + (seed % 28))}`,
  time: seed => `12:${twoDigits(seed % 60)}:00Z`,
  'date-time': seed => `2026-01-${twoDigits(1 + (seed % 28))}T12:00:00Z`,
  'iso-time': seed => `12:${twoDigits(seed % 60)}:00Z`,
  'iso-date-time': seed => `2026-01-${twoDigits(1 + (seed % 28))}T12:00:00Z`,
  duration: seed => `PT${seed + 1}H`,
  email: seed => `sample${seed || ''}@example.com`,
  'idn-email': seed => `sample${seed || ''}@example.com`,
  hostname: seed => `host${seed || ''}.example.com`,
  'idn-hostname': seed => `host${seed || ''}.example.com`,
  ipv4: seed => `192.0.2.${1 + (seed % 250)}`,
  ipv6: seed => `2001:db8::${1 + (seed % 9999)}`,
  uri: seed => `https://example.com/sample${seed || ''}`,
  url: seed => `https://example.com/sample${seed || ''}`,
  iri: seed => `https://example.com/sample${seed || ''}`,
  'uri-reference': seed => `/sample${seed || ''}`,
  'iri-reference': seed => `/sample${seed || ''}`,
  'uri-template': seed => `https://example.com/{sample${seed || ''}}`,
  uuid: seed => `00000000-0000-4000-8000-${String(seed + 1).padStart(12, '0')}`,
  'json-pointer': seed => `/sample${seed || ''}`,
  'json-pointer-uri-fragment': seed => `#/sample${seed || ''}`,
  'relative-json-pointer': seed => `${seed}/sample`,
  regex: seed => `^sample${seed || ''}$`,
  byte: () => 'c2FtcGxl',
}

export function sampleString(schema: JsonSchema, seed: number): string | undefined {
  const min = Number(schema.minLength ?? 0)
  const max = Number(schema.maxLength ?? Number.POSITIVE_INFINITY)
  if (typeof schema.pattern === 'string') return matchingText(schema.pattern, seed, min, max)
  const format = FORMATS[String(schema.format)]
  if (format) return format(seed)
  const text = seed === 0 ? 'sample' : `sample ${seed + 1}`
  // Keeps the end, which distinguishes the samples.
  return text.length > max ? (max > 0 ? text.slice(-max) : '') : text.padEnd(min, '.')
}

/** Tries longer strings and other alternatives until the length fits. */
function matchingText(pattern: string, seed: number, min: number, max: number): string | undefined {
  for (let extra = 0; extra <= min + 8; extra++) {
    const text = samplePattern(pattern, { seed, extra })
    if (text !== undefined && text.length >= min && text.length <= max) return text
  }
  return undefined
}

export function sampleNumber(schema: JsonSchema, seed: number, isInteger: boolean): number {
  const { lower, upper } = boundsOf(schema, isInteger)
  const step = typeof schema.multipleOf === 'number' ? schema.multipleOf : 1
  const start = Math.max(lower, Math.min(1, upper))
  const isAllowed = (value: number) =>
    value >= lower &&
    value <= upper &&
    isMultiple(value, schema.multipleOf) &&
    (!isInteger || Number.isInteger(value))
  for (let tried = 0; tried < 100; tried++) {
    const steps = Math.ceil(start / step - 1e-9) + seed + tried
    const value = [steps, Math.floor(upper / step) - seed - tried]
      .map(count => round(count * step))
      .find(isAllowed)
    if (value !== undefined) return value
  }
  // No multiple was found between the bounds.
  return Number.isFinite(lower) && Number.isFinite(upper) ? (lower + upper) / 2 : start
}

function boundsOf(schema: JsonSchema, isInteger: boolean): { lower: number; upper: number } {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema as Record<
    string,
    number | undefined
  >
  const above = exclusiveMinimum === undefined ? -Infinity : next(exclusiveMinimum, 1, isInteger)
  const below = exclusiveMaximum === undefined ? Infinity : next(exclusiveMaximum, -1, isInteger)
  const lower = Math.max(minimum ?? -Infinity, above)
  const upper = Math.min(maximum ?? Infinity, below)
  return isInteger ? { lower: Math.ceil(lower), upper: Math.floor(upper) } : { lower, upper }
}

/** Nearest number to `bound` on one side. */
function next(bound: number, direction: 1 | -1, isInteger: boolean): number {
  if (isInteger) return direction > 0 ? Math.floor(bound) + 1 : Math.ceil(bound) - 1
  return bound + direction * Math.max(Math.abs(bound), 1) * 1e-9
}

function isMultiple(value: number, of: unknown): boolean {
  return typeof of !== 'number' || Math.abs(Math.round(value / of) - value / of) < 1e-9
}

/** Removes binary rounding errors, so that 3 * 0.1 is 0.3. */
function round(value: number): number {
  return Number.isInteger(value) || !Number.isFinite(value) ? value : Number(value.toPrecision(12))
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
