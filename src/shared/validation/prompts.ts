import type { BuildRequest } from '../definitions.ts'
import { promptArguments } from '../prompt-variables.ts'
import type { DefinitionProblem } from '../validate-definitions.ts'
import { unknownCompletions } from './resources.ts'

export function findPromptProblems({ prompts = [] }: BuildRequest): DefinitionProblem[] {
  return prompts.flatMap((prompt, index) => {
    const path = `prompts[${index}]`
    if (prompt.template === undefined && !prompt.messages?.length)
      return [{ path: `${path}.template`, message: 'is required: a string' }]
    if (prompt.template !== undefined && prompt.messages)
      return [{ path, message: 'has "template" and "messages"; it may have one of them' }]
    const names = promptArguments(prompt).map(({ name }) => name)
    return unknownCompletions(path, prompt.completions, names, `the prompt "${prompt.name}"`)
  })
}
