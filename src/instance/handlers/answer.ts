import type { CallToolResult, Content } from '../prepared-server.ts'

/** What a handler answers with: MCP content, and the value behind it where it is JSON. */
export interface Answer {
  content: Content[]
  /** Present when the answer is one JSON value. */
  json?: unknown
  isError?: boolean
  _meta?: Record<string, unknown>
}

/** Marks an answer that was made up because nobody wrote a handler or a content yet. */
export const SAMPLE_META = { 'mcp-hosting/sample': true } as const

export function textAnswer(text: string): Answer {
  return { content: [{ type: 'text', text }] }
}

export function jsonAnswer(json: unknown): Answer {
  return { content: [{ type: 'text', text: JSON.stringify(json) ?? 'null' }], json: json ?? null }
}

/** A failure that the model reads and may correct (MCP: tool execution error). */
export function toolError(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
