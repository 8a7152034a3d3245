import type { TemplateHandler } from '../../../shared/definitions/definitions.ts'
import type { Handler } from '../handler.ts'
import type { Templates } from '../load.ts'
import { type AnswerTemplate, compileAnswer } from './answer-template.ts'

/** Creates a handler that answers with templates over the arguments and the server's data. */
export function createTemplateHandler(definition: TemplateHandler, templates: Templates): Handler {
  const answer = compileAnswer(definition, templates)
  const isError = compileCondition(definition.isError, templates)
  return scope => {
    const rendering = new templates.Rendering(scope)
    const result = answer(rendering)
    return isError(rendering) ? { ...result, isError: true } : result
  }
}

type Condition = (...args: Parameters<AnswerTemplate>) => boolean

function compileCondition(source: TemplateHandler['isError'], templates: Templates): Condition {
  if (typeof source !== 'string') return () => source === true
  const text = templates.compileText(source)
  return rendering => text(rendering).trim() === 'true'
}
