import type { TestRequest } from '../contract/testing/test-runs.ts'
import type { Suite, SuiteCase } from '../definitions/test-suite.ts'
import { HostingError } from '../errors.ts'
import { caseNames } from './plan.ts'

/** Run settings that a caller can override. */
export type RunSettings = Pick<TestRequest, 'tools' | 'limits' | 'settings' | 'context' | 'make_calls'>

export interface Overrides {
  /** Names of the cases to run. Empty for all. */
  cases: readonly string[]
  /** Models that replace those of the suite. Empty to keep the suite's. */
  models: readonly string[]
  /** Runs of each case. */
  repeat?: number | undefined
  /** Share of the cases that must pass. */
  pass?: number | undefined
  settings?: RunSettings
}

/** The suite with only the chosen cases and the overridden settings. Throws INVALID_REQUEST for an unknown case. */
export function overrideSuite(suite: Suite, overrides: Overrides): Suite {
  const { cases, models, repeat, pass, settings = {} } = overrides
  const chosen = cases.length > 0 ? chooseCases(suite, cases) : suite.cases
  return {
    ...suite,
    ...(models.length > 0 && { models: [...models] }),
    ...(pass !== undefined && { pass }),
    cases: chosen.map(one => ({
      ...withSettings(one, settings),
      ...(repeat !== undefined && { repeat }),
    })),
  }
}

/** Selected cases. Their names are those among all cases, because duplicates are numbered. */
function chooseCases(suite: Suite, wanted: readonly string[]): SuiteCase[] {
  const names = caseNames(suite.cases)
  const unknown = wanted.find(name => !names.includes(name))
  if (unknown !== undefined)
    throw new HostingError('INVALID_REQUEST', `The suite has no case "${unknown}".`, {
      details: `Its cases: ${names.join(', ')}`,
    })
  return suite.cases
    .map((one, index) => ({ ...one, name: names[index]! }))
    .filter(({ name }) => wanted.includes(name))
}

function withSettings(one: SuiteCase, given: RunSettings): SuiteCase {
  const { context, limits, settings, tools, make_calls } = given
  return {
    ...one,
    ...(context && { context: { ...one.context, ...context } }),
    ...(limits && { limits: { ...one.limits, ...limits } }),
    ...(settings && { settings: { ...one.settings, ...settings } }),
    ...(tools && { offer: { ...one.offer, ...tools } }),
    ...(make_calls !== undefined && { make_calls }),
  }
}
