import type { BuildRequest } from '../definitions/definitions.ts'
import { type DefinitionProblem, problem } from './definition-problem.ts'
import { declaredEnv } from './env.ts'

/** Names and URIs that occur twice in a list. Clients use them as identifiers. */
export function findDuplicates(request: BuildRequest): DefinitionProblem[] {
  const { tools, resources = [], prompts = [] } = request
  const uris = resources.map(({ uri }) => uri)
  return [
    ...duplicatesIn('tools', 'name', namesOf(tools)),
    ...duplicatesIn('resources', 'uri', uris),
    ...duplicatesIn('prompts', 'name', namesOf(prompts)),
    ...duplicatesIn('env', 'name', declaredEnv(request)),
    ...prompts.flatMap((prompt, index) =>
      duplicatesIn(`prompts[${index}].arguments`, 'name', namesOf(prompt.arguments)),
    ),
  ]
}

function namesOf(list: readonly { name: string }[] = []): string[] {
  return list.map(({ name }) => name)
}

function duplicatesIn(list: string, field: string, values: readonly string[]): DefinitionProblem[] {
  return values.flatMap((value, index) => {
    const first = values.indexOf(value)
    if (first === index) return []
    return problem(`${list}[${index}].${field}`, `"${value}" is already the ${field} of ${list}[${first}]`)
  })
}
