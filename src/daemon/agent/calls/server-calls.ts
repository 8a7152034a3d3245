import type { McpConnection } from '../../../shared/mcp-client/connect.ts'
import type { CallLedger, CallOutcome } from './call-ledger.ts'
import { contentText, messagesText, resourceText } from './tool-output.ts'

export interface CallContext {
  connection: McpConnection
  ledger: CallLedger
  /** `_meta` of every request to the server. */
  meta: Record<string, unknown>
  timeoutMs: number
  /** Used instead of calling tools. Returns the error in a call's arguments, or null. */
  check?(tool: string, args: unknown): string | null
}

export interface CallHandle {
  /** The model's id for the call. */
  id: string
  signal?: AbortSignal
}

/** Calls the server and records the call. Errors become outcomes. Never rejects. */
export function callTool(
  { connection, ledger, meta, timeoutMs, check }: CallContext,
  name: string,
  input: unknown,
  { id, signal }: CallHandle,
): Promise<CallOutcome> {
  const args = (input ?? {}) as Record<string, unknown>
  return ledger.run({ id, kind: 'tool', name, arguments: args }, async () => {
    if (check)
      return { result: null, text: 'Not called: this is a run without calls.', error: check(name, args) }
    const result = await connection.client.callTool(
      { name, arguments: args, _meta: meta },
      { timeout: timeoutMs, resetTimeoutOnProgress: true, signal },
    )
    const text = contentText(result.content)
    return { result, text, error: result.isError ? text || 'The tool reported an error.' : null }
  })
}

/** `input` is `{uri}`. */
export function readResource(
  { connection, ledger, meta, timeoutMs }: CallContext,
  input: unknown,
  { id, signal }: CallHandle,
): Promise<CallOutcome> {
  const uri = String((input as { uri?: unknown } | null)?.uri ?? '')
  return ledger.run({ id, kind: 'resource', name: uri, arguments: { uri } }, async () => {
    const result = await connection.client.readResource({ uri, _meta: meta }, { timeout: timeoutMs, signal })
    return { result, text: resourceText(result.contents), error: null }
  })
}

/** `input` is `{name, arguments}`. */
export function getPrompt(
  { connection, ledger, meta, timeoutMs }: CallContext,
  input: unknown,
  { id, signal }: CallHandle,
): Promise<CallOutcome> {
  const { name, arguments: given } = (input ?? {}) as { name?: unknown; arguments?: Record<string, unknown> }
  const prompt = String(name ?? '')
  // Prompt arguments are strings (MCP 2025-11-25, prompts/get), but models tend to send numbers.
  const args = Object.fromEntries(Object.entries(given ?? {}).map(([key, value]) => [key, String(value)]))
  return ledger.run({ id, kind: 'prompt', name: prompt, arguments: args }, async () => {
    const result = await connection.client.getPrompt(
      { name: prompt, arguments: args, _meta: meta },
      { timeout: timeoutMs, signal },
    )
    return { result, text: messagesText(result.messages), error: null }
  })
}
