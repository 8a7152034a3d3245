import type { BuildRequest } from '../definitions.ts'
import type { DefinitionProblem } from '../validate-definitions.ts'
import { findDuplicates } from './duplicates.ts'
import { findEnvProblems } from './env.ts'
import { findFeatureProblems } from './features.ts'
import { findHandlerProblems } from './handlers.ts'
import { findExcess, findNameProblems } from './limits.ts'
import { findLiquidProblems } from './liquid.ts'
import { findParamHeaderProblems } from './param-headers.ts'
import { findPresentationProblems } from './presentation.ts'
import { findProgramProblems } from './program.ts'
import { findPromptProblems } from './prompts.ts'
import { findResourceProblems } from './resources.ts'
import { findSchemaProblems } from './schemas.ts'
import { findUnknownNames } from './unknown-names.ts'

type Rule = (request: BuildRequest) => DefinitionProblem[]

const RULES: Rule[] = [
  findNameProblems,
  findDuplicates,
  findFeatureProblems,
  findPresentationProblems,
  findSchemaProblems,
  findParamHeaderProblems,
  findHandlerProblems,
  findProgramProblems,
  findResourceProblems,
  findLiquidProblems,
]

/** They look into templates, which must have been found to be valid. */
const TEMPLATE_RULES: Rule[] = [findPromptProblems, findUnknownNames, findEnvProblems]

/** What needs more than a shape. */
export function findRuleProblems(request: BuildRequest): DefinitionProblem[] {
  const excess = findExcess(request)
  if (excess.length > 0) return excess
  const problems = RULES.flatMap(rule => rule(request))
  return problems.length > 0 ? problems : TEMPLATE_RULES.flatMap(rule => rule(request))
}
