/** What tools, prompts and embedded resources are made of: the content blocks of MCP. */
export type Content = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink

export interface TextContent extends ContentExtras {
  type: 'text'
  text: string
}
export interface ImageContent extends ContentExtras {
  type: 'image'
  /** Base 64. */
  data: string
  mimeType: string
}
export interface AudioContent extends ContentExtras {
  type: 'audio'
  /** Base 64. */
  data: string
  mimeType: string
}
export interface EmbeddedResource extends ContentExtras {
  type: 'resource'
  resource: ResourceContents
}
export interface ResourceLink extends ContentExtras {
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
  /** Base 64. */
  blob?: string
  _meta?: Record<string, unknown>
}

interface ContentExtras {
  annotations?: { audience?: ('user' | 'assistant')[]; priority?: number; lastModified?: string }
  _meta?: Record<string, unknown>
}

/** A tool's whole answer, for handlers that want to say more than content. */
export interface ToolResult {
  content: Content[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Record<string, unknown>
}

export function text(value: string, extras: ContentExtras = {}): TextContent {
  return { type: 'text', text: value, ...extras }
}

/** `data`: bytes, or base 64. */
export function image(
  data: Uint8Array | string,
  mimeType = 'image/png',
  extras: ContentExtras = {},
): ImageContent {
  return { type: 'image', data: base64(data), mimeType, ...extras }
}

/** `data`: bytes, or base 64. */
export function audio(
  data: Uint8Array | string,
  mimeType = 'audio/wav',
  extras: ContentExtras = {},
): AudioContent {
  return { type: 'audio', data: base64(data), mimeType, ...extras }
}

/** A resource with its content: a text, or bytes. */
export function resource(
  uri: string,
  content: string | Uint8Array,
  mimeType = typeof content === 'string' ? 'text/plain' : 'application/octet-stream',
  extras: ContentExtras = {},
): EmbeddedResource {
  const body = typeof content === 'string' ? { text: content } : { blob: base64(content) }
  return { type: 'resource', resource: { uri, mimeType, ...body }, ...extras }
}

/** Where a resource is, without its content. */
export function link(
  uri: string,
  name: string,
  more: Omit<ResourceLink, 'type' | 'uri' | 'name'> = {},
): ResourceLink {
  return { type: 'resource_link', uri, name, ...more }
}

/** A failure that the model reads and may correct. */
export function error(message: string, more: Omit<ToolResult, 'content' | 'isError'> = {}): ToolResult {
  return { content: [text(message)], isError: true, ...more }
}

/** A message of a prompt. */
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
