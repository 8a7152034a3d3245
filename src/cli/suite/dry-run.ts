import { counted } from '../../shared/counted.ts'
import type { Expectation } from '../../shared/definitions/test-suite.ts'
import type { PlannedCase } from '../../shared/suite/plan.ts'
import { costOf, type PriceTable } from '../../shared/suite/prices.ts'
import type { Output } from '../output/output.ts'
import { formatCost } from './report.ts'

/** Names in the server's build. */
export interface ServerNames {
  tools: readonly string[] | undefined
  resources: readonly string[] | undefined
  prompts: readonly string[] | undefined
}

export interface DryRun {
  cases: { name: string; model: string; messages: number; repeat: number }[]
  /** Total number of messages. A message that leads to a call takes at least two model requests. */
  messages: number
  /** Estimate from the length of the messages, for two turns each. */
  estimated_tokens: number
  /** US dollars. Null when a model has no price. */
  estimated_cost: number | null
  /** Names in the suite that the server does not have. */
  problems: string[]
}

/** Plans a suite without sending or calling anything. */
export function planDryRun(
  cases: readonly PlannedCase[],
  serverNames: ServerNames,
  prices: PriceTable,
  defaultModel: string,
): DryRun {
  const entries = cases.map(({ name, model, messages, repeat }) => ({
    name,
    model: model ?? defaultModel,
    messages: messages.length,
    repeat,
  }))
  const guesses = cases.map(one => ({ model: one.model ?? defaultModel, ...guessTokens(one, serverNames) }))
  const costs = guesses.map(({ model, input, output }) =>
    costOf(prices, model, {
      input_tokens: input,
      output_tokens: output,
      total_tokens: 0,
      cached_input_tokens: 0,
      requests: 0,
    }),
  )
  const known = costs.filter(cost => cost !== undefined)
  return {
    cases: entries,
    messages: entries.reduce((sum, one) => sum + one.messages * one.repeat, 0),
    estimated_tokens: guesses.reduce((sum, { input, output }) => sum + input + output, 0),
    estimated_cost: known.length === costs.length ? known.reduce((sum, cost) => sum + cost, 0) : null,
    problems: [...new Set(cases.flatMap(one => problemsOf(one, serverNames)))],
  }
}

export function printDryRun(output: Output, plan: DryRun): void {
  output.table(
    ['CASE', 'MODEL', 'MESSAGES', 'REPEAT'],
    plan.cases.map(one => [one.name, one.model, String(one.messages), String(one.repeat)]),
  )
  output.line()
  const tokens = plan.estimated_tokens.toLocaleString('en')
  output.line(
    `${counted(plan.messages, 'message')}, about ${tokens} tokens, ${costText(plan)}. Nothing was sent.`,
  )
  for (const problem of plan.problems) output.line(`${output.style.red('✗')} ${problem}`)
}

function costText({ estimated_cost: cost }: DryRun): string {
  if (cost === null) return 'unknown cost'
  return cost === 0 ? 'free' : `about ${formatCost(cost)}`
}

const CHARACTERS_PER_TOKEN = 4
const INSTRUCTION_TOKENS = 150
const TOKENS_PER_DEFINITION = 120
const TOKENS_PER_ANSWER = 150

function guessTokens(
  { messages, repeat }: PlannedCase,
  { tools = [], resources = [], prompts = [] }: ServerNames,
) {
  const promptTokens =
    INSTRUCTION_TOKENS + (tools.length + resources.length + prompts.length) * TOKENS_PER_DEFINITION
  const characters = messages.reduce((sum, { message }) => sum + message.length, 0)
  const turns = 2 * messages.length
  return {
    input: Math.round((turns * promptTokens + 2 * (characters / CHARACTERS_PER_TOKEN)) * repeat),
    output: turns * TOKENS_PER_ANSWER * repeat,
  }
}

function problemsOf({ name, expect, messages }: PlannedCase, serverNames: ServerNames): string[] {
  const all = [expect, ...messages.map(message => message.expect)].filter(one => one !== undefined)
  return all.flatMap(one => [
    ...unknownNames(
      name,
      'tool',
      [...namesOf(one.tools), ...(one.calls ?? []).map(({ tool }) => tool)],
      serverNames.tools,
    ),
    ...unknownNames(name, 'prompt', namesOf(one.prompts), serverNames.prompts),
  ])
}

function namesOf(chosen: Expectation['tools']): string[] {
  if (chosen === undefined) return []
  if (Array.isArray(chosen)) return chosen
  return [chosen.any, chosen.all, chosen.exact, chosen.sequence].flatMap(names => names ?? [])
}

function unknownNames(
  name: string,
  kind: string,
  wanted: string[],
  known: readonly string[] | undefined,
): string[] {
  if (!known) return []
  return wanted
    .filter(one => !known.includes(one))
    .map(one => `${name}: unknown ${kind} "${one}", known: ${known.join(', ') || 'none'}`)
}
