import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'

/** Text that differs between two runs of the same conversation: times and random ids. */
const VOLATILE_TEXT: readonly [RegExp, string][] = [
  [/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?/g, '<moment>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
]

/**
 * The parts of a request that affect the answer. Call ids are numbered, members are sorted, and times and random ids in the
 * server's results are replaced.
 */
export function normalizeRequest(model: string, options: LanguageModelV4CallOptions): unknown {
  const { prompt, tools = [], toolChoice, temperature, seed, maxOutputTokens } = options
  return sortMembers({
    model,
    prompt: numberCalls(prompt),
    tools: [...tools].sort((a, b) => (a.name < b.name ? -1 : 1)),
    toolChoice,
    temperature,
    seed,
    maxOutputTokens,
  })
}

function numberCalls(prompt: LanguageModelV4Prompt): unknown {
  const numbers = new Map<string, string>()
  const numberOf = (id: string) => {
    const number = numbers.get(id) ?? `call ${numbers.size + 1}`
    numbers.set(id, number)
    return number
  }
  return prompt.map(({ role, content }) => {
    if (typeof content === 'string') return { role, content }
    return {
      role,
      content: content.map(({ providerOptions: _options, ...part }) => {
        if (part.type === 'tool-call') return { ...part, toolCallId: numberOf(part.toolCallId) }
        if (part.type !== 'tool-result') return part
        return { ...part, toolCallId: numberOf(part.toolCallId), output: withoutVolatile(part.output) }
      }),
    }
  })
}

function withoutVolatile(output: unknown): unknown {
  const text = VOLATILE_TEXT.reduce(
    (text, [pattern, placeholder]) => text.replace(pattern, placeholder),
    JSON.stringify(output),
  )
  return JSON.parse(text)
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, sortMembers(member)]))
}
