import type { CallExpectation } from '../definitions/test-suite.ts'

interface ActualCall {
  name: string
  arguments: unknown
}

/** Reason why a value does not match a JSON Schema, or null. */
export type SchemaCheck = (schema: Record<string, unknown>, value: unknown) => string | null

/** Checks that each expected call was made, as often as expected. Reports the nearest miss. */
export function judgeCalls(
  expected: readonly CallExpectation[],
  made: readonly ActualCall[],
  check: SchemaCheck,
): string[] {
  return expected.flatMap(expectation => judgeCall(expectation, made, check))
}

function judgeCall(expectation: CallExpectation, made: readonly ActualCall[], check: SchemaCheck): string[] {
  const { tool, times } = expectation
  const ofTool = made.filter(({ name }) => name === tool)
  const mismatches = ofTool.map(call => mismatchesOf(expectation, call.arguments, check))
  const fitting = mismatches.filter(problems => problems.length === 0).length
  if (times !== undefined && fitting !== times)
    return [`expected ${times} matching ${times === 1 ? 'call' : 'calls'} to ${tool}, got ${fitting}`]
  if (times !== undefined || fitting > 0) return []
  if (ofTool.length === 0) return [`${tool} was not called`]
  const nearest = mismatches.reduce((best, problems) => (problems.length < best.length ? problems : best))
  return [`no call to ${tool} matches: ${nearest.join('; ')}`]
}

function mismatchesOf(
  { arguments: subset, schema, patterns }: CallExpectation,
  args: unknown,
  check: SchemaCheck,
): string[] {
  return [
    ...(subset ? subsetMismatches(subset, args, '') : []),
    ...Object.entries(patterns ?? {}).flatMap(([path, source]) => {
      const value = memberAt(args, path)
      const fits = value !== undefined && new RegExp(source, 'u').test(asText(value))
      return fits ? [] : [`${path} is ${show(value)}, expected a match for /${source}/`]
    }),
    ...(schema ? [check(schema, args)].filter(problem => problem !== null) : []),
  ]
}

/** Differences from the expected value. Objects may have more members than expected. Arrays must have the same elements. */
function subsetMismatches(expected: unknown, given: unknown, path: string): string[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(given) || given.length !== expected.length)
      return [`${path} is ${show(given)}, expected ${show(expected)}`]
    return expected.flatMap((each, index) => subsetMismatches(each, given[index], `${path}[${index}]`))
  }
  if (isObject(expected)) {
    if (!isObject(given)) return [`${path || 'arguments'} is ${show(given)}, expected ${show(expected)}`]
    return Object.entries(expected).flatMap(([key, each]) =>
      subsetMismatches(each, given[key], path ? `${path}.${key}` : key),
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
