/** MCP content block. */
export type Content = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink

interface TextContent extends ContentExtras {
  type: 'text'
  text: string
}
interface ImageContent extends ContentExtras {
  type: 'image'
  /** Base64. */
  data: string
  mimeType: string
}
interface AudioContent extends ContentExtras {
  type: 'audio'
  /** Base64. */
  data: string
  mimeType: string
}
interface EmbeddedResource extends ContentExtras {
  type: 'resource'
  resource: ResourceContents
}
interface ResourceLink extends ContentExtras {
  type: 'resource_link'
  uri: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  size?: number
}

export interface ResourceContents {
  uri: string
  mimeType?: string
  text?: string
  /** Base64. */
  blob?: string
  _meta?: Record<string, unknown>
}

interface ContentExtras {
  annotations?: { audience?: ('user' | 'assistant')[]; priority?: number; lastModified?: string }
  _meta?: Record<string, unknown>
}

/** Complete result of a tool, for handlers that return more than content. */
export interface ToolResult {
  content: Content[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Record<string, unknown>
}

export function text(value: string, extras: ContentExtras = {}): TextContent {
  return { type: 'text', text: value, ...extras }
}

/** `data`: bytes or Base64. */
export function image(
  data: Uint8Array | string,
  mimeType = 'image/png',
  extras: ContentExtras = {},
): ImageContent {
  return { type: 'image', data: base64(data), mimeType, ...extras }
}

/** `data`: bytes or Base64. */
export function audio(
  data: Uint8Array | string,
  mimeType = 'audio/wav',
  extras: ContentExtras = {},
): AudioContent {
  return { type: 'audio', data: base64(data), mimeType, ...extras }
}

/** Embedded resource. `content`: text or bytes. */
export function resource(
  uri: string,
  content: string | Uint8Array,
  mimeType = typeof content === 'string' ? 'text/plain' : 'application/octet-stream',
  extras: ContentExtras = {},
): EmbeddedResource {
  const body = typeof content === 'string' ? { text: content } : { blob: base64(content) }
  return { type: 'resource', resource: { uri, mimeType, ...body }, ...extras }
}

/** Link to a resource. */
export function link(
  uri: string,
  name: string,
  more: Omit<ResourceLink, 'type' | 'uri' | 'name'> = {},
): ResourceLink {
  return { type: 'resource_link', uri, name, ...more }
}

/** Tool error, which the model reads and can react to. */
export function error(message: string, more: Omit<ToolResult, 'content' | 'isError'> = {}): ToolResult {
  return { content: [text(message)], isError: true, ...more }
}

/** Message of a prompt. */
export interface Message {
  role: 'user' | 'assistant'
  content: Content
}

export function user(content: string | Content): Message {
  return { role: 'user', content: typeof content === 'string' ? text(content) : content }
}

export function assistant(content: string | Content): Message {
  return { role: 'assistant', content: typeof content === 'string' ? text(content) : content }
}

function base64(data: Uint8Array | string): string {
  if (typeof data === 'string') return data
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')
}
