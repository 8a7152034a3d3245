import { type BuildRequest, buildRequestSchema } from '../definitions/definitions.ts'
import { HostingError } from '../errors.ts'
import { findJsonFault } from '../json/json-walk.ts'
import { type DefinitionProblem, describeProblem } from './definition-problem.ts'
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
import { describeIssues, type Issue } from './shape.ts'
import { findUnknownNames } from './unknown-names.ts'

export type Validation = { request: BuildRequest } | { problems: DefinitionProblem[] }

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

/** Rules that analyze templates. They require valid Liquid. */
const TEMPLATE_RULES: Rule[] = [findPromptProblems, findUnknownNames, findEnvProblems]

const MAX_REPORTED = 50

/** Validates a build request: its shape first, then the rules. */
export function validateDefinitions(input: unknown): Validation {
  const fault = findJsonFault(input)
  if (fault) return { problems: [fault] }
  const parsed = buildRequestSchema.safeParse(input)
  const problems = parsed.success
    ? findRuleProblems(parsed.data)
    : findShapeProblems(input, parsed.error.issues)
  return parsed.success && problems.length === 0
    ? { request: parsed.data }
    : { problems: problems.slice(0, MAX_REPORTED) }
}

/** Throws INVALID_MCP. Its message contains the first problem, and its details contain all of them, one per line. */
export function parseBuildRequest(input: unknown): BuildRequest {
  const result = validateDefinitions(input)
  if ('request' in result) return result.request
  const lines = result.problems.map(describeProblem)
  const more = lines.length > 1 ? ` (and ${lines.length - 1} more)` : ''
  throw new HostingError('INVALID_MCP', `The definitions are not valid: ${lines[0]}${more}`, {
    details: lines.join('\n'),
    next: [
      { description: 'Correct the definitions; check them without building', command: 'mcp build --check' },
    ],
  })
}

/** Problems with the shape. If all of them are unknown fields, also the rule problems of the other fields. */
function findShapeProblems(input: unknown, issues: Issue[]): DefinitionProblem[] {
  const problems = describeIssues(issues.slice(0, MAX_REPORTED), { input, schema: buildRequestSchema })
  if (issues.some(({ code }) => code !== 'unrecognized_keys')) return problems
  const rest = buildRequestSchema.safeParse(withoutKeys(input, issues))
  return rest.success ? [...problems, ...findRuleProblems(rest.data)] : problems
}

function withoutKeys(input: unknown, issues: Issue[]): unknown {
  const copy = structuredClone(input)
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue
    const owner = issue.path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown>)[step], copy)
    for (const key of issue.keys) delete (owner as Record<string, unknown>)[key]
  }
  return copy
}

function findRuleProblems(request: BuildRequest): DefinitionProblem[] {
  const excess = findExcess(request)
  if (excess.length > 0) return excess
  const problems = RULES.flatMap(rule => rule(request))
  return problems.length > 0 ? problems : TEMPLATE_RULES.flatMap(rule => rule(request))
}
