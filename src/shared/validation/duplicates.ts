import type { BuildRequest } from '../definitions.ts'
import type { DefinitionProblem } from '../validate-definitions.ts'

/** Names and URIs are what clients ask by, so each may stand for one thing only. */
export function findDuplicates(request: BuildRequest): DefinitionProblem[] {
  return [
    ...duplicatesIn(
      'tools',
      'name',
      request.tools?.map(({ name }) => name),
    ),
    ...duplicatesIn(
      'resources',
      'uri',
      request.resources?.map(({ uri }) => uri),
    ),
    ...duplicatesIn(
      'prompts',
      'name',
      request.prompts?.map(({ name }) => name),
    ),
    ...duplicatesIn(
      'env',
      'name',
      request.env?.map(one => (typeof one === 'string' ? one : one.name)),
    ),
    ...(request.prompts ?? []).flatMap((prompt, index) =>
      duplicatesIn(
        `prompts[${index}].arguments`,
        'name',
        prompt.arguments?.map(({ name }) => name),
      ),
    ),
  ]
}

function duplicatesIn(list: string, field: string, values: readonly string[] = []): DefinitionProblem[] {
  const first = new Map<string, number>()
  return values.flatMap((value, index) => {
    const before = first.get(value)
    if (before === undefined) {
      first.set(value, index)
      return []
    }
    const message = `"${value}" is already the ${field} of ${list}[${before}]`
    return [{ path: `${list}[${index}].${field}`, message }]
  })
}
