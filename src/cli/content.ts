import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'

/** What of MCP content a person can read: texts as they are, everything else in a line that tells what it is. */
export function contentToText(content: readonly ContentBlock[]): string {
  return content.map(blockToText).join('\n')
}

/** The answer of a tool, its structured content where it has no other. */
export function resultToText({ content, structuredContent }: CallToolResult): string {
  if (content.length > 0) return contentToText(content)
  return structuredContent === undefined ? '' : JSON.stringify(structuredContent, null, 2)
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
