import type { CallToolResult, Content } from '../server/results.ts'

/** A handler's answer: MCP content, and its value if it is JSON. */
export interface Answer {
  content: Content[]
  /** Set when the answer is one JSON value. */
  json?: unknown
  isError?: boolean
  _meta?: Record<string, unknown>
}

/** Marks a placeholder answer from a tool or resource without a handler or content. */
export const SAMPLE_META = { 'mcp-hosting/sample': true } as const

export function textAnswer(text: string): Answer {
  return { content: [{ type: 'text', text }] }
}

export function jsonAnswer(json: unknown): Answer {
  return { content: [{ type: 'text', text: JSON.stringify(json) ?? 'null' }], json: json ?? null }
}

/** A failure that the model can read and correct (MCP: tool execution error). */
export function toolError(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
