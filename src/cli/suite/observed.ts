import type { TestResult } from '../../shared/test-results.ts'

/** What a run did, of one message or of a whole conversation. Undefined is what the API does not tell. */
export interface Observed {
  reply: string
  /** In the order of the calls; each name once when the API tells no calls. */
  tools: string[]
  resources: string[]
  prompts: string[] | undefined
  calls: { name: string; arguments: unknown }[] | undefined
  errors: number | undefined
  turns: number | undefined
  seconds: number
  tokens: number | undefined
  /** Why the run was ended before its time. */
  stoppedBy: string | null
}

/** The reply is the last one's, everything else adds up. */
export function observe(results: readonly TestResult[]): Observed {
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
    turns: sum(result => result.turns),
    seconds: sum(result => result.execution_time) ?? 0,
    tokens: sum(result => result.usage?.total_tokens),
    stoppedBy: results.map(({ stopped_by }) => stopped_by).find(Boolean) ?? null,
  }
}
