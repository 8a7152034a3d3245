import { type BuildRequest, buildRequestSchema } from './definitions.ts'
import { HostingError } from './errors.ts'
import { findJsonFault } from './json-walk.ts'
import { findRuleProblems } from './validation/rules.ts'
import { describeIssues } from './validation/shape.ts'

/** What is wrong with one field, for example `tools[2].inputSchema` `is required: an object`. */
export interface DefinitionProblem {
  /** Empty for the definitions as a whole. */
  path: string
  message: string
}

export type Validation = { request: BuildRequest } | { problems: DefinitionProblem[] }

/** More would not help a reader. */
const MAX_TOLD = 50

/** Checks a build request: its shape first, and when that is right, what needs more than a shape. */
export function validateDefinitions(input: unknown): Validation {
  const fault = findJsonFault(input)
  if (fault) return { problems: [fault] }
  const parsed = buildRequestSchema.safeParse(input)
  if (!parsed.success)
    return { problems: describeIssues(parsed.error.issues.slice(0, MAX_TOLD), input).slice(0, MAX_TOLD) }
  const problems = findRuleProblems(parsed.data).slice(0, MAX_TOLD)
  return problems.length > 0 ? { problems } : { request: parsed.data }
}

/** Throws INVALID_MCP whose message has the first problem and whose details have all of them, one a line. */
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

export function describeProblem({ path, message }: DefinitionProblem): string {
  return path ? `${path}: ${message}` : message
}
