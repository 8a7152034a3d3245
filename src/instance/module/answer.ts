import { INPUT_REQUIRED, type InputRequired as Question } from '../../sdk/input-required.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { InputRequired } from '../server/input-required.ts'
import type { CallToolResult, Content, GetPromptResult, ReadResourceResult } from '../server/results.ts'

/** Required members of each content block type. */
const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource: ['resource'],
  resource_link: ['uri', 'name'],
}

function isContent(value: unknown): value is Content {
  if (!isObject(value) || typeof value.type !== 'string' || !Object.hasOwn(BLOCKS, value.type)) return false
  return BLOCKS[value.type]!.every(member => member in value)
}

/** Throws InputRequired for an answer that contains questions. */
export function throwQuestion(value: unknown): void {
  if (!isObject(value) || !(INPUT_REQUIRED in value)) return
  const { requests, state } = value as unknown as Question
  throw new InputRequired({ ...requests }, state)
}

/** Converts an answer of a tool without an output schema. `anyJson`: the client accepts any JSON as structured content. */
export function toToolResult(value: unknown, anyJson: boolean): CallToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] }
  if (value === undefined || value === null) return { content: [] }
  if (isResult(value)) return value
  if (isContent(value)) return { content: [value] }
  if (Array.isArray(value) && value.length > 0 && value.every(isContent)) return { content: value }
  return toStructured(value, anyJson)
}

/** A value as text and, if the client accepts it, as structured content (MCP, tools: structured content). */
export function toStructured(value: unknown, anyJson: boolean): CallToolResult {
  const text = JSON.stringify(value) ?? 'null'
  const content = [{ type: 'text', text }]
  return anyJson || isObject(value) ? { content, structuredContent: value } : { content }
}

export function isResult(value: unknown): value is CallToolResult {
  return isObject(value) && Array.isArray(value.content) && value.content.every(isContent)
}

export function toResourceResult(value: unknown, uri: string, mimeType: string): ReadResourceResult {
  if (isObject(value) && Array.isArray(value.contents)) return value as unknown as ReadResourceResult
  if (value instanceof Uint8Array) return { contents: [{ uri, mimeType, blob: base64(value) }] }
  if (typeof value === 'string') return { contents: [{ uri, mimeType, text: value }] }
  const blocks = Array.isArray(value) && value.length > 0 && value.every(isContent) ? value : [value]
  if (blocks.every(isContent)) return { contents: blocks.map(block => toContents(block, uri, mimeType)) }
  return { contents: [{ uri, mimeType, text: JSON.stringify(value) ?? 'null' }] }
}

export function toPromptResult(value: unknown, description: string): GetPromptResult {
  if (isObject(value) && Array.isArray(value.messages))
    return { description, ...value, messages: value.messages.map(toMessage) }
  return { description, messages: (Array.isArray(value) ? value : [value]).map(toMessage) }
}

function toMessage(value: unknown): GetPromptResult['messages'][number] {
  const isMessage = isObject(value) && (value.role === 'user' || value.role === 'assistant')
  const content = isMessage ? value.content : value
  const role = isMessage ? (value.role as 'user' | 'assistant') : 'user'
  if (isContent(content)) return { role, content }
  const text = typeof content === 'string' ? content : (JSON.stringify(content) ?? '')
  return { role, content: { type: 'text', text } }
}

function toContents(block: Content, uri: string, mimeType: string): ReadResourceResult['contents'][number] {
  if (block.type === 'resource') return { ...(block.resource as object), uri }
  if (block.type === 'image' || block.type === 'audio')
    return { uri, mimeType: String(block.mimeType), blob: String(block.data) }
  return { uri, mimeType, text: block.type === 'text' ? String(block.text) : JSON.stringify(block) }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
