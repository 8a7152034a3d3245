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
 * Checks a value while the user types. The problems are only hints, because the server decides. Ajv cannot be used, because it
 * compiles code, which the page's security policy forbids, and has no limits for hostile schemas. Values beyond the limits count
 * as valid.
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
