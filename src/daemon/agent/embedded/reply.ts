import type { CompletedCall } from './conversation.ts'
import { type Plan, RELEVANT_SCORE } from './plan/plan.ts'

/** Longer results are truncated. */
const MAX_RESULT_CHARACTERS = 4000

/** Reply with the results of the calls in order, and the reasons for failures. */
export function writeReply(done: CompletedCall[]): string {
  const lines = done.map(call => (call.failed ? writeFailure(call) : writeResult(call)))
  if (done.length === 1) return lines[0]!
  return done.map((call, i) => `${titleOf(call)}: ${lines[i]}`).join('\n')
}

function writeFailure({ tool, text }: CompletedCall): string {
  return `${tool} failed: ${shorten(text)}`
}

function writeResult({ text, data }: CompletedCall): string {
  const flat = data === undefined ? undefined : writeFlat(data)
  return shorten(flat ?? text.trim()) || 'Done, without output.'
}

/** Small records as "name: value" pairs. Undefined for other data. */
function writeFlat(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined
  const entries = Object.entries(data)
  if (entries.length === 0 || entries.length > 12) return undefined
  if (entries.some(([, value]) => typeof value === 'object' && value !== null)) return undefined
  return entries.map(([key, value]) => `${key}: ${value}`).join(', ')
}

/** The tool with its first simple argument, to distinguish several calls of one tool. */
function titleOf({ tool, arguments: args }: CompletedCall): string {
  const [first] = Object.values(args).filter(value => typeof value !== 'object')
  return first === undefined ? tool : `${tool} (${shorten(String(first), 60)})`
}

function shorten(text: string, limit = MAX_RESULT_CHARACTERS): string {
  return text.length <= limit ? text : `${text.slice(0, limit)} …`
}

/** Explains why nothing was called: the missing values, or the closest tools with their scores. */
export function writeRefusal({ ranking, missing }: Plan, offered: number): string {
  if (offered === 0) return 'This server offers no tools, resources or prompts.'
  const [best] = ranking
  const named = missing?.tool ?? best?.name
  const second = ranking.find(({ name }) => name !== named)
  const runnerUp =
    second && second.score > 0 ? ` The next match is ${second.name} (${percent(second.score)}).` : ''
  if (missing)
    return `${missing.tool} matches (${percent(scoreOf(ranking, missing.tool))}), but the message does not specify ${listOf(missing.parameters)}.${runnerUp}`
  const closest = `The closest match is ${best!.name} (confidence ${percent(best!.score)}, at least ${percent(RELEVANT_SCORE)} needed).`
  return `Nothing on this server matches the request. ${closest}${runnerUp}`
}

function scoreOf(ranking: Plan['ranking'], name: string): number {
  return ranking.find(entry => entry.name === name)?.score ?? 0
}

function percent(score: number): string {
  return `${Math.round(Math.min(1, score) * 100)} %`
}

function listOf(names: string[]): string {
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
