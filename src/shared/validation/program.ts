import type { BuildRequest } from '../definitions.ts'
import type { DefinitionProblem } from '../validate-definitions.ts'

const LISTS = ['tools', 'resources', 'prompts'] as const

/** A program answers everything itself, from a folder that is there. */
export function findProgramProblems(request: BuildRequest): DefinitionProblem[] {
  const { program, source } = request
  if (!program) return []
  const beside = LISTS.filter(list => request[list]?.length)
  return [
    ...beside.map(list => ({
      path: list,
      message: `stands beside "program", which tells its ${list} itself; leave one of the two out`,
    })),
    ...checkFolder('cwd' in program ? program.cwd : undefined, source !== undefined),
  ]
}

function checkFolder(cwd: string | undefined, hasSource: boolean): DefinitionProblem[] {
  if (cwd === undefined || /^(?:\/|[A-Za-z]:[\\/])/.test(cwd)) return []
  const path = 'program.cwd'
  if (!hasSource)
    return [{ path, message: `"${cwd}" is relative to a "source", and there is none; give an absolute path` }]
  return leadsOut(cwd) ? [{ path, message: `"${cwd}" leads out of the source` }] : []
}

function leadsOut(path: string): boolean {
  let depth = 0
  for (const part of path.split(/[\\/]/)) {
    if (part === '..') depth--
    else if (part !== '' && part !== '.') depth++
    if (depth < 0) return true
  }
  return false
}
