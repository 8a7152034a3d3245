import { SchemaDocument } from '../model/schema-document.ts'
import type { State } from '../model/state.ts'
import { combinedProblems } from './combined.ts'
import { listProblems } from './lists.ts'
import { objectProblems } from './objects.ts'
import { scalarProblems } from './scalars.ts'
import { type Problem, Visit } from './visit.ts'

const RULES = [combinedProblems, scalarProblems, objectProblems, listProblems]
const MAX_STEPS = 20_000
const MAX_PROBLEMS = 100

/**
 * Checks a value while it is typed. It reports hints, because the server decides. It exists next to Ajv because Ajv compiles code,
 * which the page's security policy forbids, and has no limit for hostile schemas. Whatever exceeds the limits counts as valid.
 */
export function check(
  schema: unknown,
  state: State,
  document = new SchemaDocument(schema),
  steps = MAX_STEPS,
): Problem[] {
  if (state === undefined) return []
  return new Visit({ document, rules: RULES, steps }, state).with(schema).slice(0, MAX_PROBLEMS)
}
