import type { TestRequest } from '../contract/testing/test-runs.ts'
import type { Expectation, Suite, SuiteCase } from '../definitions/test-suite.ts'

/** One case with one model, with all settings of the suite and the command line. */
export interface PlannedCase {
  name: string
  /** Undefined for the default model. */
  model: string | undefined
  messages: { message: string; expect: Expectation | undefined }[]
  /** Expectation for the whole case. */
  expect: Expectation | undefined
  repeat: number
  /** Share of runs that must pass. */
  threshold: number
  request: Omit<TestRequest, 'mcp_id' | 'message' | 'ai_model'>
}

/** Each case with each model, in the suite's order. Settings of a case override those of the suite. */
export function planSuite(suite: Suite): PlannedCase[] {
  const models = suite.models === undefined ? [undefined] : [suite.models].flat()
  const names = caseNames(suite.cases)
  return models.flatMap(model =>
    suite.cases.map((one, index) => ({
      name: names[index]!,
      model,
      messages: messagesOf(one),
      expect: one.expect,
      repeat: one.repeat ?? suite.repeat ?? 1,
      threshold: one.threshold ?? suite.threshold ?? 1,
      request: requestOf(suite, one),
    })),
  )
}

function messagesOf({ message, messages = [] }: SuiteCase) {
  const all = message === undefined ? messages : [message]
  return all.map(one =>
    typeof one === 'string' ? { message: one, expect: undefined } : { expect: undefined, ...one },
  )
}

function requestOf(suite: Suite, one: SuiteCase): PlannedCase['request'] {
  const merged = {
    context: { ...suite.context, ...one.context },
    limits: { ...suite.limits, ...one.limits },
    tools: { ...suite.offer, ...one.offer },
    settings: { ...suite.settings, ...one.settings },
    answers: one.answers ?? suite.answers,
    make_calls: one.make_calls ?? suite.make_calls,
  }
  return Object.fromEntries(
    Object.entries(merged).filter(
      ([, value]) => value !== undefined && !(typeof value === 'object' && Object.keys(value).length === 0),
    ),
  )
}

const NAME_LENGTH = 80
/** Leaves space for the number, because a name may have at most 200 characters. */
const NUMBERED_LENGTH = 190

/** The given name or the first message. Duplicates get a number. */
export function caseNames(cases: readonly SuiteCase[]): string[] {
  const seen = new Map<string, number>()
  return cases.map(one => {
    const first = messagesOf(one)[0]!.message.replace(/\s+/g, ' ')
    const name = one.name ?? (first.length > NAME_LENGTH ? `${first.slice(0, NAME_LENGTH)}…` : first)
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return count === 1 ? name : `${name.slice(0, NUMBERED_LENGTH).toWellFormed()} (${count})`
  })
}
