import type { LanguageModelUsage } from 'ai'
import type { Usage } from '../../shared/contract/testing/test-results.ts'

/** Total usage of a run. Values that a model does not report count as 0. */
export function addUsage(steps: readonly { usage: LanguageModelUsage }[]): Usage {
  const sum = (of: (usage: LanguageModelUsage) => number | undefined) =>
    steps.reduce((total, { usage }) => total + (of(usage) ?? 0), 0)
  const input = sum(usage => usage.inputTokens)
  const output = sum(usage => usage.outputTokens)
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cached_input_tokens: sum(usage => usage.inputTokenDetails?.cacheReadTokens),
    requests: steps.length,
  }
}
