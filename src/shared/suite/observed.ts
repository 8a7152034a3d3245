import type { TestResult, ToolCallRecord } from '../contract/testing/test-results.ts'

/** Facts about a run of one message or a conversation. A fact is undefined if the API does not report it. */
export interface RunFacts {
  reply: string
  /** In the order of the calls, or each name once if the API reports no calls. */
  tools: string[]
  resources: string[]
  prompts: string[] | undefined
  calls: { name: string; arguments: unknown }[] | undefined
  errors: number | undefined
  /** One sentence per distinct failure of a tool. */
  toolErrors: string[]
  turns: number | undefined
  seconds: number
  tokens: number | undefined
  /** Limit that stopped the run. */
  stoppedBy: string | null
}

/** Facts about a conversation: the last reply, and the totals of everything else. */
export function observe(results: readonly TestResult[]): RunFacts {
  const all = <T>(of: (result: TestResult) => T[] | undefined): T[] | undefined =>
    results.every(result => of(result) !== undefined) ? results.flatMap(result => of(result)!) : undefined
  const calls = all(result => result.tool_calls)
  const reads = all(result => result.resource_reads)
  const prompts = all(result => result.prompts)
  const failed =
    calls && [...calls, ...(reads ?? []), ...(prompts ?? [])].filter(({ error }) => error !== null)
  const sum = (of: (result: TestResult) => number | undefined) =>
    all(result => (of(result) === undefined ? undefined : [of(result)!]))?.reduce((a, b) => a + b, 0)
  return {
    reply: results.at(-1)?.ai_response ?? '',
    tools: calls?.map(({ name }) => name) ?? results.flatMap(({ tools_used }) => tools_used),
    resources: results.flatMap(({ resources_accessed }) => resources_accessed),
    prompts: prompts?.filter(({ error }) => error === null).map(({ name }) => name),
    calls,
    errors: failed?.length,
    toolErrors: toolErrorsOf(calls ?? []),
    turns: sum(result => result.turns),
    seconds: sum(result => result.execution_time) ?? 0,
    tokens: sum(result => result.usage?.total_tokens),
    stoppedBy: results.map(({ stopped_by }) => stopped_by).find(Boolean) ?? null,
  }
}

function toolErrorsOf(calls: readonly ToolCallRecord[]): string[] {
  return [
    ...new Set(
      calls.filter(({ error }) => error !== null).map(({ name, error }) => `${name} failed: ${error}`),
    ),
  ]
}
