import type { TestRequest } from '../../shared/contract/projects/test-runs.ts'
import type { Expectation, Suite, SuiteCase } from '../../shared/definitions/test-suite.ts'
import type { RunSettings } from '../testing/test-options.ts'

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

export interface PlanInput {
  /** Models from the command line. They override the models of the suite. */
  models: string[]
  repeat: number | undefined
  settings: RunSettings
}

/** Cases times models, in the suite's order. Flags override cases, and cases override the suite. */
export function planSuite(suite: Suite, { models, repeat, settings }: PlanInput): PlannedCase[] {
  const ofSuite = suite.models === undefined ? [] : [suite.models].flat()
  const chosen = models.length > 0 ? models : ofSuite
  const names = uniqueNames(suite.cases)
  return (chosen.length > 0 ? chosen : [undefined]).flatMap(model =>
    suite.cases.map((one, index) => ({
      name: names[index]!,
      model,
      messages: messagesOf(one),
      expect: one.expect,
      repeat: repeat ?? one.repeat ?? suite.repeat ?? 1,
      threshold: one.threshold ?? suite.threshold ?? 1,
      request: requestOf(suite, one, settings),
    })),
  )
}

function messagesOf({ message, messages = [] }: SuiteCase) {
  const all = message === undefined ? messages : [message]
  return all.map(one =>
    typeof one === 'string' ? { message: one, expect: undefined } : { expect: undefined, ...one },
  )
}

function requestOf(suite: Suite, one: SuiteCase, settings: RunSettings): PlannedCase['request'] {
  const merged = {
    context: { ...suite.context, ...one.context, ...settings.context },
    limits: { ...suite.limits, ...one.limits, ...settings.limits },
    tools: { ...suite.offer, ...one.offer, ...settings.tools },
    settings: { ...suite.settings, ...one.settings, ...settings.settings },
    answers: one.answers ?? suite.answers,
    make_calls: settings.make_calls,
  }
  return Object.fromEntries(
    Object.entries(merged).filter(
      ([, value]) => value !== undefined && !(typeof value === 'object' && Object.keys(value).length === 0),
    ),
  )
}

const NAME_LENGTH = 80

/** The given name or the first message. Duplicates get a number. */
function uniqueNames(cases: readonly SuiteCase[]): string[] {
  const seen = new Map<string, number>()
  return cases.map(one => {
    const first = messagesOf(one)[0]!.message.replace(/\s+/g, ' ')
    const name = one.name ?? (first.length > NAME_LENGTH ? `${first.slice(0, NAME_LENGTH)}…` : first)
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return count === 1 ? name : `${name} (${count})`
  })
}
