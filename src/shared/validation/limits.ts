import type { BuildRequest } from '../definitions/definitions.ts'
import { MAX_NAME_LENGTH, TOOL_NAME } from '../names.ts'
import { type DefinitionProblem, problem } from './definition-problem.ts'

const MAX_ENTRIES = 1000

/** Lists that are too long. Their entries are not validated, because that would take too long. */
export function findExcess({ tools, resources, prompts, env }: BuildRequest): DefinitionProblem[] {
  const lists = { tools, resources, prompts, env }
  return Object.entries(lists).flatMap(([list, entries]) => countProblems(list, entries?.length ?? 0))
}

export function findNameProblems({ tools, prompts }: BuildRequest): DefinitionProblem[] {
  return [
    ...(tools ?? []).flatMap(({ name }, index) => toolNameProblems(`tools[${index}].name`, name)),
    ...(prompts ?? []).flatMap(({ name }, index) => nameProblems(`prompts[${index}].name`, name)),
  ]
}

function countProblems(path: string, count: number): DefinitionProblem[] {
  if (count <= MAX_ENTRIES) return []
  return problem(path, `has ${count} entries; the maximum is ${MAX_ENTRIES}`)
}

function toolNameProblems(path: string, name: string): DefinitionProblem[] {
  if (TOOL_NAME.test(name)) return nameProblems(path, name)
  return problem(path, `${JSON.stringify(name)} may only contain letters, digits, "_", "-", "." and "/"`)
}

function nameProblems(path: string, name: string): DefinitionProblem[] {
  if (name.length > MAX_NAME_LENGTH)
    return problem(path, `has ${name.length} characters; the maximum is ${MAX_NAME_LENGTH}`)
  if (/\p{Cc}/u.test(name)) return problem(path, `${JSON.stringify(name)} contains a control character`)
  return []
}
