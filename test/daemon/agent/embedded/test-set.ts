import { readdirSync, readFileSync } from 'node:fs'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider'
import { parse } from 'yaml'
import { HINTS_KEY, type ModelHints } from '../../../../src/daemon/agent/offer/offer.ts'

const folder = new URL('../../../fixtures/agent/', import.meta.url)

/** A tool, "resource <uri>" or "prompt <name>", with its arguments. */
export type Call = Record<string, Record<string, unknown>>

interface Step {
  calls: Call[] | { oneOf: Call[][] }
  /** Results of the calls. Default: `ok`. Not used in the last step. */
  results?: string[]
}

/** A message and its expected calls, none if the server cannot help. */
export interface Case {
  server: string
  message: string
  history: string[]
  steps: Step[]
}

interface Fixture extends Pick<ModelHints, 'prompts' | 'resources' | 'resourceTemplates'> {
  tools: { name: string; description: string; inputSchema: LanguageModelV4FunctionTool['inputSchema'] }[]
  cases: (Step & { message: string; history?: string[]; steps?: Step[] })[]
}

const fixtures = new Map<string, Fixture>()
for (const file of readdirSync(folder).sort())
  fixtures.set(file.replace('.yaml', ''), parse(readFileSync(new URL(file, folder), 'utf8')))

export const cases: Case[] = [...fixtures].flatMap(([server, fixture]) =>
  fixture.cases.map(({ message, history = [], steps, calls }) => ({
    server,
    message,
    history,
    steps: steps ?? [{ calls }],
  })),
)

/** The server's tools and hints as the agent passes them to the model. */
export function offerOf(server: string): Pick<LanguageModelV4CallOptions, 'tools' | 'providerOptions'> {
  const { tools, resources = [], resourceTemplates = [], prompts = [] } = fixtures.get(server)!
  const hints: ModelHints = {
    ...(resources.length + resourceTemplates.length > 0 && { readResource: 'read_resource' }),
    ...(prompts.length > 0 && { getPrompt: 'get_prompt' }),
    resources,
    resourceTemplates,
    prompts,
  }
  return {
    tools: tools.map(tool => ({ type: 'function', ...tool })),
    providerOptions: { [HINTS_KEY]: JSON.parse(JSON.stringify(hints)) },
  }
}

/** The model's calls in each step of a case. */
export async function play(
  model: LanguageModelV4,
  { server, message, history, steps }: Case,
): Promise<Call[][]> {
  const prompt: LanguageModelV4Prompt = [...history, message].map(text => ({
    role: 'user',
    content: [{ type: 'text', text }],
  }))
  const made: Call[][] = []
  for (const step of steps) {
    const { content } = await model.doGenerate({ prompt, ...offerOf(server) })
    const calls = content.filter(part => part.type === 'tool-call')
    made.push(calls.map(({ toolName, input }) => plainCall(toolName, JSON.parse(input))))
    prompt.push({
      role: 'assistant',
      content: calls.map(call => ({ ...call, input: JSON.parse(call.input) })),
    })
    prompt.push({
      role: 'tool',
      content: calls.map(({ toolCallId, toolName }, i) => ({
        type: 'tool-result',
        toolCallId,
        toolName,
        output: { type: 'text', value: step.results?.[i] ?? 'ok' },
      })),
    })
  }
  return made
}

function plainCall(tool: string, args: Record<string, unknown>): Call {
  if (tool === 'read_resource') return { [`resource ${args.uri}`]: {} }
  if (tool === 'get_prompt')
    return { [`prompt ${args.name}`]: (args.arguments ?? {}) as Record<string, unknown> }
  return { [tool]: args }
}

/** True if the model made the expected calls, in any order within a step. */
export function isCorrect({ steps }: Case, made: Call[][]): boolean {
  return steps.every(({ calls }, i) => {
    const accepted = Array.isArray(calls) ? [calls] : calls.oneOf
    return accepted.some(wanted => sorted(wanted) === sorted(made[i] ?? []))
  })
}

function sorted(calls: Call[]): string {
  return JSON.stringify(calls.map(call => JSON.stringify(sortKeys(call))).sort())
}

/** Sorts keys, so that equal objects have equal JSON. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, part]) => [key, sortKeys(part)]))
}
