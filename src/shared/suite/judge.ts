import type { Expectation, NameExpectation, Range } from '../definitions/test-suite.ts'
import { judgeCalls, type SchemaCheck } from './judge-calls.ts'
import type { RunFacts } from './observed.ts'

export interface Verdict {
  /** One sentence per failed expectation. */
  failures: string[]
  /** Expectations that cannot be judged because the API does not report the facts. */
  unknown: string[]
}

/** Compares expectations with a run. Pure. Without expectations, no call may fail. */
export function judge(expectation: Expectation | undefined, seen: RunFacts, check: SchemaCheck): Verdict {
  const expected = expectation ?? { errors: 0 }
  const verdict: Verdict = { failures: [], unknown: [] }
  const judgeKnown = <T>(what: string, value: T | undefined, check: (value: T) => string[]) => {
    if (value === undefined) verdict.unknown.push(what)
    else verdict.failures.push(...check(value))
  }
  const { tools, resources, prompts, calls, reply, errors, turns, seconds, tokens } = expected
  if (seen.stoppedBy) verdict.failures.push(`the run reached its limit on ${seen.stoppedBy}`)
  if (tools) judgeKnown('tools', seen.tools, names => judgeNames('tool', tools, names))
  if (resources) judgeKnown('resources', seen.resources, names => judgeNames('resource', resources, names))
  if (prompts) judgeKnown('prompts', seen.prompts, names => judgeNames('prompt', prompts, names))
  if (calls) judgeKnown('calls', seen.calls, made => judgeCalls(calls, made, check))
  if (reply) verdict.failures.push(...judgeReply(reply, seen.reply))
  if (errors !== undefined)
    judgeKnown('errors', seen.errors, number => judgeRange('failed calls', errors, number))
  if (turns !== undefined) judgeKnown('turns', seen.turns, number => judgeRange('turns', turns, number))
  if (seconds !== undefined)
    judgeKnown('seconds', seen.seconds, number => judgeRange('seconds', seconds, number))
  if (tokens !== undefined) judgeKnown('tokens', seen.tokens, number => judgeRange('tokens', tokens, number))
  // Tool errors are usually the cause of the failures, and would otherwise only be in the server's log.
  if (verdict.failures.length > 0) verdict.failures.push(...seen.toolErrors)
  return verdict
}

function judgeNames(kind: string, chosen: NameExpectation, used: readonly string[]): string[] {
  const { any, all, exact, sequence, never } = Array.isArray(chosen)
    ? { all: chosen, any: undefined, exact: undefined, sequence: undefined, never: undefined }
    : chosen
  const actual = used.length > 0 ? `used: ${list([...new Set(used)])}` : `no ${kind} was used`
  const missing = [...(all ?? []), ...(exact ?? [])].filter(name => !used.includes(name))
  const extra = exact && [...new Set(used)].filter(name => !exact.includes(name))
  const forbidden = never?.filter(name => used.includes(name)) ?? []
  return [
    ...missing.map(name => `${kind} ${name} was not used (${actual})`),
    ...(extra ?? []).map(name => `${kind} ${name} was used, expected only ${list(exact!) || 'none'}`),
    ...forbidden.map(name => `${kind} ${name} was used but is forbidden`),
    ...(any && !any.some(name => used.includes(name)) ? [`none of ${list(any)} was used (${actual})`] : []),
    ...(sequence && !isSubsequence(sequence, used)
      ? [
          `expected ${kind}s in the order ${list(sequence)} (${used.length > 0 ? `used: ${list(used)}` : actual})`,
        ]
      : []),
  ]
}

function isSubsequence(wanted: readonly string[], given: readonly string[]): boolean {
  let at = 0
  for (const name of given) if (name === wanted[at]) at++
  return at === wanted.length
}

function judgeReply(
  { contains, excludes, pattern }: NonNullable<Expectation['reply']>,
  reply: string,
): string[] {
  const has = (text: string) => reply.toLowerCase().includes(text.toLowerCase())
  return [
    ...toList(contains)
      .filter(text => !has(text))
      .map(text => `the reply does not contain "${text}"`),
    ...toList(excludes)
      .filter(has)
      .map(text => `the reply contains "${text}"`),
    ...toList(pattern)
      .filter(source => !new RegExp(source, 'u').test(reply))
      .map(source => `the reply does not match /${source}/`),
  ]
}

function judgeRange(what: string, range: Range, number: number): string[] {
  const { min, max } = typeof range === 'number' ? { min: undefined, max: range } : range
  const shown = Number.isInteger(number) ? String(number) : number.toFixed(3)
  return [
    ...(min !== undefined && number < min ? [`${what}: ${shown}, expected at least ${min}`] : []),
    ...(max !== undefined && number > max ? [`${what}: ${shown}, expected at most ${max}`] : []),
  ]
}

function toList(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value]
}

function list(names: readonly string[]): string {
  return names.join(', ')
}
