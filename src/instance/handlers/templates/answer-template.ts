import type { ContentBlock, Json } from '../../../shared/definitions/definitions.ts'
import type { Content } from '../../server/results.ts'
import { type Answer, jsonAnswer, textAnswer } from '../answer.ts'
import type { Templates } from '../load.ts'
import type { JsonTemplate, Rendering } from './rendering.ts'

export interface AnswerDefinition {
  text?: string | undefined
  json?: Json | undefined
  content?: ContentBlock[] | undefined
}

export type AnswerTemplate = (rendering: Rendering) => Answer

/** Compiles whichever of text, json and content is set. */
export function compileAnswer(definition: AnswerDefinition, templates: Templates): AnswerTemplate {
  const { text, json, content } = definition
  if (content) return compileContent(content, templates)
  if (json !== undefined) {
    const template = templates.compileJson(json)
    return rendering => jsonAnswer(template(rendering))
  }
  const template = templates.compileText(text ?? '')
  return rendering => textAnswer(template(rendering))
}

function compileContent(blocks: ContentBlock[], templates: Templates): AnswerTemplate {
  const compiled = blocks.map(block => compileBlock(block, templates))
  return rendering => ({ content: compiled.map(block => block(rendering)) })
}

/** Compiles a content block. `type`, `annotations` and `_meta` are fixed. Everything else is a text template. */
export function compileBlock(block: ContentBlock, templates: Templates): (rendering: Rendering) => Content {
  const { annotations, _meta, ...templated } = block
  const members = compileMembers(templated, templates)
  const fixed = { ...(annotations && { annotations }), ...(_meta && { _meta }) }
  return rendering => ({ ...(members(rendering) as Content), ...fixed })
}

function compileMembers(members: Record<string, unknown>, templates: Templates): JsonTemplate {
  const compiled = Object.entries(members).map(([name, value]) => [name, compileMember(name, value)] as const)
  return rendering => Object.fromEntries(compiled.map(([name, member]) => [name, member(rendering)]))

  function compileMember(name: string, value: unknown): JsonTemplate {
    if (name === 'type' || name === '_meta') return () => value
    if (typeof value === 'string') return templates.compileText(value)
    return compileMembers(value as Record<string, unknown>, templates)
  }
}
