import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'

/** Renders MCP content for people: text unchanged, anything else as a descriptive line. */
export function contentToText(content: readonly ContentBlock[]): string {
  return content.map(blockToText).join('\n')
}

/** Result of a tool call: its structured content as JSON if it has one, otherwise its content. */
export function resultToText({ content, structuredContent, isError }: CallToolResult): string {
  // The content of a structured result repeats the data for models. The content of an error is its message.
  const isData = structuredContent !== undefined && !(isError && content.length > 0)
  return isData ? JSON.stringify(structuredContent) : contentToText(content)
}

function blockToText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${bytesOf(block.data)} bytes]`
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : `[${block.resource.uri}, ${bytesOf(block.resource.blob)} bytes]`
    case 'resource_link':
      return `[${block.name}: ${block.uri}]`
    default:
      return JSON.stringify(block)
  }
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, 'base64')
}
