import * as z from 'zod'
import { clientSecretSchema } from '../contract/deployments/deployment-auth.ts'
import { envValueSchema } from '../contract/env-value.ts'
import { joinPath } from '../json/json-walk.ts'
import { nearestName } from '../names.ts'
import { type DefinitionProblem, problem } from './definition-problem.ts'

export type Issue = z.core.$ZodIssue

/** Maximum number of reported unknown fields per object. */
const MAX_UNKNOWN_FIELDS = 20

/** Schemas of values that may be secret. */
const SECRETS: ReadonlySet<unknown> = new Set([clientSecretSchema, envValueSchema])

/** A value and the schema that rejected it. */
interface RejectedValue {
  input: unknown
  schema: z.ZodType
}

/** Zod's issues as sentences with the given value and the allowed ones. */
export function describeIssues(issues: readonly Issue[], rejected: RejectedValue): DefinitionProblem[] {
  return issues.flatMap(issue => describeIssue(issue, rejected))
}

function describeIssue(issue: Issue, rejected: RejectedValue): DefinitionProblem[] {
  const path = joinPath('', ...issue.path)
  // The value of an invalid name may be a secret.
  const value = issue.code === 'invalid_key' ? issue.path.at(-1) : valueAt(rejected.input, issue.path)
  if (issue.code === 'unrecognized_keys') return unknownFields(issue.keys, issue.path, rejected)
  if (issue.code === 'invalid_union') return describeUnion(issue, rejected)
  // z.json() reports a missing value like an invalid one.
  if (value === undefined) return problem(path, `is required${expectation(issue)}`)
  if (issue.code === 'invalid_type' && SECRETS.has(schemaAt(issue.path, rejected)))
    return problem(path, `must be ${withArticle(issue.expected)}, not ${typeOf(value)}`)
  return problem(path, describeValue(issue, value))
}

function describeValue(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${withArticle(issue.expected)}, not ${showValue(value)}`
    case 'invalid_value':
      return `${showValue(value)} is not ${listValues(issue.values)}${suggestNear(value, issue.values)}`
    case 'too_small':
      return value === '' ? 'must not be empty' : `must be at least ${issue.minimum}, not ${showValue(value)}`
    case 'too_big':
      return `must be at most ${issue.maximum}, not ${showValue(value)}`
    case 'invalid_format':
      return `${showValue(value)} is not valid; ${formatRule(issue)}`
    case 'invalid_key':
      return describeValue(issue.issues[0]!, value)
    default:
      if (issue.code === 'custom' && issue.params?.hidesValue) return issue.message
      return isObject(value) ? issue.message : `${issue.message} (given: ${showValue(value)})`
  }
}

/** Message of the schema, which starts with "expected" or "must". */
function formatRule({ message, pattern, format }: Extract<Issue, { code: 'invalid_format' }>): string {
  return message.startsWith('Invalid') ? `expected ${pattern ?? format}` : message
}

function unknownFields(
  keys: readonly string[],
  path: readonly PropertyKey[],
  rejected: RejectedValue,
): DefinitionProblem[] {
  const known = knownFields(path, rejected)
  return keys.slice(0, MAX_UNKNOWN_FIELDS).map(key => {
    const closest = nearestName(key, known)
    const hint = closest
      ? `; did you mean "${closest}"?`
      : known.length > 0
        ? `; known fields: ${known.map(name => `"${name}"`).join(', ')}`
        : ''
    return { path: joinPath('', ...path, shorten(key)), message: `is not a known field${hint}` }
  })
}

/** Reports the issues of the branch that the value matches best: by its fields, otherwise by its type. */
function describeUnion(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  rejected: RejectedValue,
): DefinitionProblem[] {
  const { discriminator } = issue as { discriminator?: string }
  if (discriminator !== undefined) return [describeDiscriminator(discriminator, issue.path, rejected)]
  const path = joinPath('', ...issue.path)
  const value = valueAt(rejected.input, issue.path)
  const branch = matchingBranch(issue, value, rejected) ?? issue.errors.find(hasRightType)
  if (branch)
    return describeIssues(
      branch.map(one => withinPath(issue.path, one)),
      rejected,
    )
  const kinds = new Set(issue.errors.flat().map(one => ('expected' in one ? withArticle(one.expected) : '')))
  const allowed = [...kinds].filter(Boolean).join(' or ')
  return problem(
    path,
    value === undefined ? `is required (${allowed})` : `must be ${allowed}, not ${showValue(value)}`,
  )
}

/** Issues of the branch that the value was meant for. Branches are in the order of the union's options. */
function matchingBranch(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  value: unknown,
  rejected: RejectedValue,
): Issue[] | undefined {
  const union = schemaAt(issue.path, rejected)
  const option = branchFor(union, value)
  return union instanceof z.ZodUnion ? issue.errors[union.options.indexOf(option as z.ZodType)] : undefined
}

/** True when the branch reports a field or format, not the type of the value. */
function hasRightType(branch: readonly Issue[]): boolean {
  return !branch.some(({ code, path }) => path.length === 0 && code === 'invalid_type')
}

function withinPath(path: readonly PropertyKey[], issue: Issue): Issue {
  return { ...issue, path: [...path, ...issue.path] }
}

/** Describes an issue with the discriminator of a union, which may be the last step of the path. */
function describeDiscriminator(
  field: string,
  path: readonly PropertyKey[],
  rejected: RejectedValue,
): DefinitionProblem {
  const owner = path.at(-1) === field ? path.slice(0, -1) : path
  const fieldPath = joinPath('', ...owner, field)
  const union = schemaAt(owner, rejected)
  const allowed = union instanceof z.ZodDiscriminatedUnion ? discriminatorValues(union, field) : []
  const given = valueAt(rejected.input, [...owner, field])
  if (given === undefined) return { path: fieldPath, message: `is required (${listValues(allowed)})` }
  return {
    path: fieldPath,
    message: `${showValue(given)} is not ${listValues(allowed)}${suggestNear(given, allowed)}`,
  }
}

function discriminatorValues(union: z.ZodDiscriminatedUnion, field: string): string[] {
  return union.options.flatMap(option => {
    return option instanceof z.ZodObject ? valuesOf(option.shape[field]) : []
  })
}

/** Discriminator values of one branch. */
function valuesOf(schema: unknown): string[] {
  if (schema instanceof z.ZodLiteral) return [...schema.values].map(String)
  return schema instanceof z.ZodEnum ? schema.options.map(String) : []
}

function knownFields(path: readonly PropertyKey[], rejected: RejectedValue): string[] {
  const schema = schemaAt(path, rejected)
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  if (schema instanceof z.ZodUnion)
    return schema.options.flatMap(option => (option instanceof z.ZodObject ? Object.keys(option.shape) : []))
  return []
}

/** Schema that validates a path of the input. Undefined inside a field that accepts any JSON. */
function schemaAt(path: readonly PropertyKey[], rejected: RejectedValue): unknown {
  let schema: unknown = rejected.schema
  let value = rejected.input
  for (const step of path) {
    schema = memberSchema(branchFor(unwrap(schema), value), step)
    value = (value as Record<PropertyKey, unknown> | null | undefined)?.[step]
  }
  const last = unwrap(schema)
  return last instanceof z.ZodDiscriminatedUnion && hasBranch(last, value) ? branchFor(last, value) : last
}

function memberSchema(schema: unknown, step: PropertyKey): unknown {
  if (schema instanceof z.ZodObject) return schema.shape[step as string]
  if (schema instanceof z.ZodArray) return schema.element
  if (schema instanceof z.ZodRecord) return schema.valueType
  return undefined
}

function unwrap(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return unwrap(schema.unwrap())
  return schema
}

function hasBranch(union: z.ZodDiscriminatedUnion, value: unknown): boolean {
  return branchFor(union, value) !== union
}

/** Option of a union that matches the value's discriminator or fields. */
function branchFor(schema: unknown, value: unknown): unknown {
  if (!(schema instanceof z.ZodUnion) || value === null || typeof value !== 'object') return schema
  const options = schema.options.filter(option => option instanceof z.ZodObject)
  const type = (value as { type?: unknown }).type
  const byType = options.find(({ shape }) => valuesOf(shape.type).includes(type as string))
  if (byType || schema instanceof z.ZodDiscriminatedUnion) return byType ?? schema
  return options.find(({ shape }) => Object.keys(value).some(key => key in shape)) ?? schema
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, step) => (value as Record<PropertyKey, unknown> | null | undefined)?.[step],
    input,
  )
}

function expectation(issue: Issue): string {
  if (issue.code === 'invalid_type') return ` (${withArticle(issue.expected)})`
  if (issue.code === 'invalid_value') return ` (${listValues(issue.values)})`
  return ''
}

function withArticle(kind: string): string {
  if (kind === 'record') return 'an object'
  if (kind === 'int') return 'a whole number'
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`
}

function listValues(values: readonly unknown[]): string {
  const words = values.map(value => JSON.stringify(value))
  return words.length === 1 ? `${words[0]}` : `one of ${words.join(', ')}`
}

function suggestNear(value: unknown, allowed: readonly unknown[]): string {
  const closest = typeof value === 'string' ? nearestName(value, allowed.map(String)) : undefined
  return closest ? `; did you mean "${closest}"?` : ''
}

/** A value in an error message: `an array`, `an object`, or shortened JSON. */
function showValue(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (isObject(value)) return 'an object'
  // A project file in TypeScript can contain values that are not JSON.
  const text = typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? typeof value)
  return shorten(text)
}

/** Like `showValue`, without the value. */
function typeOf(value: unknown): string {
  return value === null || isObject(value) ? showValue(value) : withArticle(typeof value)
}

function isObject(value: unknown): boolean {
  return value !== null && typeof value === 'object'
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
