import type { BuildRequest } from '../definitions.ts'
import type { DefinitionProblem } from '../validate-definitions.ts'
import { findDuplicates } from './duplicates.ts'

/** What needs more than a shape. */
export function findRuleProblems(request: BuildRequest): DefinitionProblem[] {
  return findDuplicates(request)
}
