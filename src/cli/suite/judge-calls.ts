import type { CallExpectation } from '../../shared/test-suite.ts'

interface MadeCall {
  name: string
  arguments: unknown
}

/** What is wrong with a value by a JSON Schema; null when nothing is. */
export type SchemaCheck = (schema: Record<string, unknown>, value: unknown) => string | null

/** Loaded for suites that hold a schema only: ajv is large. */
export async function loadSchemaCheck(): Promise<SchemaCheck> {
  const { compileSchema, describeViolation } = await import('../../shared/json-schema.ts')
  return (schema, value) => {
    const validate = compileSchema(schema)
    return validate(value) ? null : describeViolation(validate.errors)
  }
}

/** For each expected call: is there one that fits, or as many as it says? The nearest miss is told. */
export function judgeCalls(
  expected: readonly CallExpectation[],
  made: readonly MadeCall[],
  check: SchemaCheck,
): string[] {
  return expected.flatMap(expectation => judgeCall(expectation, made, check))
}

function judgeCall(expectation: CallExpectation, made: readonly MadeCall[], check: SchemaCheck): string[] {
  const { tool, times } = expectation
  const ofTool = made.filter(({ name }) => name === tool)
  const misfits = ofTool.map(call => misfitsOf(expectation, call.arguments, check))
  const fitting = misfits.filter(problems => problems.length === 0).length
  if (times !== undefined && fitting !== times)
    return [`expected ${times} fitting ${times === 1 ? 'call' : 'calls'} of ${tool}, there were ${fitting}`]
  if (times !== undefined || fitting > 0) return []
  if (ofTool.length === 0) return [`${tool} was not called`]
  const nearest = misfits.reduce((best, problems) => (problems.length < best.length ? problems : best))
  return [`no call of ${tool} fits: ${nearest.join('; ')}`]
}

function misfitsOf(
  { arguments: subset, schema, patterns }: CallExpectation,
  args: unknown,
  check: SchemaCheck,
): string[] {
  return [
    ...(subset ? subsetMisfits(subset, args, '') : []),
    ...Object.entries(patterns ?? {}).flatMap(([path, source]) => {
      const value = memberAt(args, path)
      const fits = value !== undefined && new RegExp(source, 'u').test(asText(value))
      return fits ? [] : [`${path} is ${show(value)}, expected a match of /${source}/`]
    }),
    ...(schema ? [check(schema, args)].filter(problem => problem !== null) : []),
  ]
}

/** Members of objects may be more than expected, elements of arrays may not. */
function subsetMisfits(expected: unknown, given: unknown, path: string): string[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(given) || given.length !== expected.length)
      return [`${path} is ${show(given)}, expected ${show(expected)}`]
    return expected.flatMap((each, index) => subsetMisfits(each, given[index], `${path}[${index}]`))
  }
  if (isObject(expected)) {
    if (!isObject(given)) return [`${path || 'arguments'} is ${show(given)}, expected ${show(expected)}`]
    return Object.entries(expected).flatMap(([key, each]) =>
      subsetMisfits(each, given[key], path ? `${path}.${key}` : key),
    )
  }
  return Object.is(expected, given) ? [] : [`${path} is ${show(given)}, expected ${show(expected)}`]
}

function memberAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, key) => (isObject(at) || Array.isArray(at) ? at[key as never] : undefined), value)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function show(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value)
}
