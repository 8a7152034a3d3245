import type { ContentBlock, PromptMessage, ReadResourceResult } from '@modelcontextprotocol/client'
import type { ToolResultPart } from 'ai'
import type { CallOutcome } from './call-ledger.ts'

type ModelOutput = ToolResultPart['output']

/** Result of a call for the model: the error, the text with images if supported, structured content, or only the text. */
export function toModelOutput({ result, text, error }: CallOutcome, takesImages: boolean): ModelOutput {
  if (error !== null) return { type: 'error-text', value: error }
  const { structuredContent, content } = (result ?? {}) as {
    structuredContent?: unknown
    content?: ContentBlock[]
  }
  const images = takesImages ? (content ?? []).filter(block => block.type === 'image') : []
  if (images.length > 0)
    return {
      type: 'content',
      value: [
        { type: 'text', text },
        ...images.map(({ data, mimeType }) => ({
          type: 'file' as const,
          data: { type: 'data' as const, data },
          mediaType: mimeType,
        })),
      ],
    }
  if (structuredContent !== undefined) return { type: 'json', value: structuredContent as never }
  return { type: 'text', value: text }
}

/** Content as plain text. Images and audio are represented by type and size, and binary resources by their URI. */
export function contentText(content: readonly ContentBlock[]): string {
  return content.map(blockText).join('\n')
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${sizeOf(block.data)}]`
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`
    case 'resource_link':
      return `[resource ${block.uri}: ${block.name}]`
    default:
      return JSON.stringify(block)
  }
}

export function resourceText(contents: ReadResourceResult['contents']): string {
  return contents
    .map(part => ('text' in part ? part.text : `[${part.mimeType ?? 'binary'}, ${sizeOf(part.blob)}]`))
    .join('\n')
}

export function messagesText(messages: readonly PromptMessage[]): string {
  return messages.map(({ role, content }) => `${role}: ${blockText(content)}`).join('\n\n')
}

function sizeOf(base64: string): string {
  return `${Math.floor((base64.length * 3) / 4)} bytes`
}
