export type Content = { type: string; [key: string]: unknown }
export interface CallToolResult {
  content: Content[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Record<string, unknown>
}
/**
 * A tool's result as the validated JSON text that the program sent: its members without braces and without `_meta`. A class,
 * so that no value from a handler is mistaken for it.
 */
export class ResultText {
  readonly members: string
  /** True when the result has `isError: true`. */
  readonly failed: boolean
  constructor(members: string, failed: boolean) {
    this.members = members
    this.failed = failed
  }
}
export interface ReadResourceResult {
  contents: {
    uri: string
    mimeType?: string
    text?: string
    blob?: string
    _meta?: Record<string, unknown>
  }[]
}
export interface GetPromptResult {
  description?: string
  messages: { role: 'user' | 'assistant'; content: Content }[]
}
export interface CompleteParams {
  ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }
  argument: { name: string; value: string }
  context?: { arguments?: Record<string, string> }
}
export interface CompleteResult {
  completion: { values: string[]; total?: number; hasMore?: boolean }
}
