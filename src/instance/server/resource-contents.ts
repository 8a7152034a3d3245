import type { Answer } from '../handlers/answer.ts'
import type { Content, ReadResourceResult } from './results.ts'

type ResourceContents = ReadResourceResult['contents'][number]

/** Converts a handler's answer to the contents of its resource. */
export function toResourceContents(answer: Answer, uri: string, mimeType: string): ResourceContents[] {
  const { content, _meta } = answer
  return content.map(block => ({ ...toContents(block, uri, mimeType), ...(_meta && { _meta }) }))
}

function toContents(block: Content, uri: string, mimeType: string): ResourceContents {
  switch (block.type) {
    case 'image':
    case 'audio':
      return { uri, mimeType: String(block.mimeType), blob: String(block.data) }
    case 'resource':
      return { mimeType, ...(block.resource as object), uri }
    case 'resource_link':
      return { uri, mimeType: 'application/json', text: JSON.stringify(block) }
    default:
      return { uri, mimeType, text: String(block.text) }
  }
}
