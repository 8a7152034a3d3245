import type { BuildRequest } from '../definitions/definitions.ts'
import { type DefinitionProblem, problem } from './definition-problem.ts'

const LISTS = ['tools', 'resources', 'prompts'] as const

export function findProgramProblems(request: BuildRequest): DefinitionProblem[] {
  const { program, source } = request
  if (!program) return []
  return [
    ...LISTS.filter(list => request[list]?.length).map(list => ({
      path: list,
      message: `cannot be combined with "program", which lists its own ${list}; remove one of the two`,
    })),
    ...checkFolder('cwd' in program ? program.cwd : undefined, source !== undefined),
  ]
}

function checkFolder(cwd: string | undefined, hasSource: boolean): DefinitionProblem[] {
  if (cwd === undefined || /^(?:\/|[A-Za-z]:[\\/])/.test(cwd)) return []
  const path = 'program.cwd'
  if (!hasSource)
    return problem(path, `"${cwd}" is relative, but there is no "source"; give an absolute path`)
  return isOutside(cwd) ? problem(path, `"${cwd}" is outside the source archive`) : []
}

function isOutside(path: string): boolean {
  let depth = 0
  for (const part of path.split(/[\\/]/)) {
    if (part === '..') depth--
    else if (part !== '' && part !== '.') depth++
    if (depth < 0) return true
  }
  return false
}
