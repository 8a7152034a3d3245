import { printable } from '../../../shared/format/printable.ts'
import { printJson } from '../model/json-text.ts'
import { kindOf, type State } from '../model/state.ts'
import type { WidgetProps } from './widget.ts'

const SAMPLES: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  email: 'name@example.com',
  uri: 'https://example.com/',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
}

/** Placeholder of a field: "empty text" for an empty string, otherwise the default, an example, or "not set" if optional. */
export function placeholder({ field, isRequired, state }: WidgetProps): string {
  const { default: preset, examples, format } = field.schema
  if (kindOf(state) === 'string') return 'empty text'
  if (preset !== undefined) return `default: ${shorten(preset)}`
  if (Array.isArray(examples) && examples.length > 0) return `e.g. ${shorten(examples[0])}`
  if (typeof format === 'string' && Object.hasOwn(SAMPLES, format)) return `e.g. ${SAMPLES[format]}`
  return isRequired ? '' : 'not set'
}

function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : printJson(value as State).replace(/\s+/g, ' ')
  return printable(text.slice(0, 80))
}
