import type { BuildRequest, PromptDefinition } from '../definitions/definitions.ts'
import { promptArguments } from '../definitions/prompt-variables.ts'
import { nearestName } from '../names.ts'
import { type DefinitionProblem, problem } from './definition-problem.ts'
import { unknownCompletions } from './resources.ts'

const ANSWERS = ['template', 'messages', 'handler'] as const

export function findPromptProblems({ prompts = [] }: BuildRequest): DefinitionProblem[] {
  return prompts.flatMap((prompt, index) => {
    const path = `prompts[${index}]`
    const given = ANSWERS.filter(name => prompt[name] !== undefined)
    if (given.length === 0 || (given[0] === 'messages' && !prompt.messages?.length))
      return problem(`${path}.template`, 'is required (a string)')
    if (given.length > 1)
      return problem(path, `has ${given.map(name => `"${name}"`).join(' and ')}; only one is allowed`)
    const names = promptArguments(prompt).map(({ name }) => name)
    return [
      ...misspelledArguments(path, prompt),
      ...unknownCompletions(path, prompt.completions, names, `the prompt "${prompt.name}"`),
    ]
  })
}

/** Arguments that no template reads, if a template reads a similar undeclared name. */
function misspelledArguments(path: string, prompt: PromptDefinition): DefinitionProblem[] {
  const declared = (prompt.arguments ?? []).map(({ name }) => name)
  const read = promptArguments({ ...prompt, arguments: [] }).map(({ name }) => name)
  const undeclared = read.filter(name => !declared.includes(name))
  return declared.flatMap((name, index) => {
    const near = read.includes(name) ? undefined : nearestName(name, undeclared)
    const message = `"${name}" is not used by the prompt; did you mean "${near}"?`
    return near ? problem(`${path}.arguments[${index}].name`, message) : []
  })
}
