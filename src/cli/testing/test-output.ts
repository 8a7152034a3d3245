import type { TestResult, ToolCallRecord } from '../../shared/contract/testing/test-results.ts'
import { counted } from '../../shared/counted.ts'
import { formatDurationMs } from '../../shared/duration.ts'
import type { Output } from '../output/output.ts'
import { formatReply } from '../output/reply-text.ts'

const SHOWN_LENGTH = 200

/** Prints the agent's actions and reply. */
export function printTestResult(output: Output, result: TestResult): void {
  for (const call of result.tool_calls ?? []) output.line(callLine(output, call))
  for (const { uri, error } of result.resource_reads ?? []) output.line(mark(output, error, `read ${uri}`))
  for (const { name, error } of result.prompts ?? []) output.line(mark(output, error, `prompt ${name}`))
  for (const { kind, message, outcome } of result.questions ?? [])
    output.line(output.style.dim(`  ${kind} asked: ${shorten(message)}: ${outcome}`))
  if (result.tool_calls?.length || result.resource_reads?.length || result.prompts?.length) output.line()
  output.line(formatReply(result.ai_response))
  output.line()
  output.line(output.style.dim(summaryLine(result)))
}

/** `embedded · 2 turns · 1 call · 0.4 s · 170 tokens` */
function summaryLine(result: TestResult): string {
  const { model, turns, tool_calls: calls, usage, stopped_by: stopped, success_rate } = result
  const failed = calls?.filter(({ error }) => error !== null).length
  return [
    model,
    turns === undefined ? undefined : counted(turns, 'turn'),
    calls
      ? `${counted(calls.length, 'call')}${failed ? `, ${failed} failed` : ''}`
      : `success rate ${success_rate}`,
    result.resource_reads?.length ? counted(result.resource_reads.length, 'read') : undefined,
    formatDurationMs(result.execution_time * 1000),
    usage ? counted(usage.total_tokens, 'token') : undefined,
    stopped ? `reached its limit on ${stopped}` : undefined,
  ]
    .filter(Boolean)
    .join(' · ')
}

function callLine(output: Output, { name, arguments: args, error, seconds }: ToolCallRecord): string {
  const what = `${name} ${shorten(JSON.stringify(args))}`
  return mark(output, error, `${what} ${output.style.dim(formatDurationMs(seconds * 1000))}`)
}

export function mark({ style }: Output, error: string | null, text: string): string {
  return error === null ? `${style.green('✓')} ${text}` : `${style.red('✗')} ${text}: ${shorten(error)}`
}

export function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > SHOWN_LENGTH ? `${line.slice(0, SHOWN_LENGTH)}…` : line
}
