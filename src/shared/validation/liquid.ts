import type { BuildRequest } from '../definitions/definitions.ts'
import { liquidEngine } from '../definitions/liquid.ts'
import { nearestName } from '../names.ts'
import { type DefinitionProblem, problem } from './definition-problem.ts'
import { listTemplates } from './templates.ts'

/** The time of Liquid's analysis grows with the square of the number of tags. */
const MAX_TAGS = 2000

/** Templates with syntax errors, with line and column. */
export function findLiquidProblems(request: BuildRequest): DefinitionProblem[] {
  return listTemplates(request).flatMap(({ path, source }) => {
    const count = source.match(/\{[{%]/g)?.length ?? 0
    if (count > MAX_TAGS) return problem(path, `has ${count} tags and outputs; the maximum is ${MAX_TAGS}`)
    try {
      liquidEngine().parse(source)
      return []
    } catch (error) {
      return problem(path, `is not valid Liquid: ${describeParseError(error as Error)}`)
    }
  })
}

function describeParseError({ message }: Error): string {
  const text = message.replace(/, line:(\d+), col:(\d+)$/, ' (line $1, column $2)')
  return text + suggestion(text)
}

function suggestion(text: string): string {
  const [, filter, tag] = /undefined filter: (\S+)|tag "([^"]+)" not found/.exec(text) ?? []
  const { filters, tags } = liquidEngine()
  const near = filter ? nearestName(filter, Object.keys(filters)) : tag && nearestName(tag, Object.keys(tags))
  return near ? `; did you mean "${near}"?` : ''
}
