import type { z } from 'zod'
import { HostingError } from '../../../shared/errors.ts'
import { nearestName } from '../../../shared/names.ts'

/** Maximum number of reported problems. Without it, a response could be many times the size of its request. */
const MAX_LISTED = 20
const MAX_SHOWN_LENGTH = 100

/** Throws INVALID_REQUEST with details that name the invalid fields, for example `config.domain: …`. */
export function validate<T extends z.ZodType>(schema: T, input: unknown, part: string): z.output<T> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const details = result.error.issues
    .slice(0, MAX_LISTED)
    .flatMap(issue => describeIssue(schema, issue, part === 'query' ? 'parameter' : 'field'))
    .slice(0, MAX_LISTED)
  throw new HostingError('INVALID_REQUEST', `The ${part} is not valid: ${details[0]}`, {
    details: details.join('; '),
  })
}

function describeIssue(schema: z.ZodType, issue: z.core.$ZodIssue, noun: string): string[] {
  const path = truncate(issue.path.join('.'))
  const at = (name: string) => (path ? `${path}.${truncate(name)}` : truncate(name))
  if (issue.code === 'unrecognized_keys')
    return issue.keys
      .slice(0, MAX_LISTED)
      .map(key => `${at(key)}: not a known ${noun}${suggestion(schema, issue.path, key)}`)
  if (issue.code === 'invalid_key') return [`${path}: ${issue.issues[0]?.message ?? issue.message}`]
  return [`${path || 'the value'}: ${issue.message}`]
}

function truncate(text: string): string {
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text
}

function suggestion(schema: z.ZodType, path: PropertyKey[], key: string): string {
  const near = nearestName(key, fieldsAt(schema, path))
  return near ? `, did you mean "${near}"?` : ''
}

/** Field names of the object at `path`. Empty if the schema there is not an object. */
function fieldsAt(schema: z.ZodType, path: PropertyKey[]): string[] {
  let current: unknown = schema
  for (const step of [...path, undefined]) {
    current = unwrap(current)
    const shape = (current as { shape?: Record<string, unknown> } | undefined)?.shape
    if (step === undefined) return Object.keys(shape ?? {})
    current = shape?.[String(step)]
  }
  return []
}

function unwrap(schema: unknown): unknown {
  let current = schema as { def?: { innerType?: unknown } } | undefined
  while (current?.def?.innerType) current = current.def.innerType as typeof current
  return current
}
