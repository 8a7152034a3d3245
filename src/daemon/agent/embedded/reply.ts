import type { DoneCall } from './conversation.ts'
import { type Plan, RELEVANT } from './plan/plan.ts'

/** Longer results are cut: a reply says what was found, it does not repeat a file. */
const MAXIMUM_RESULT = 4000

/** The answer, from the results of the calls: what each brought, in their order; failures with their reason. */
export function writeReply(done: DoneCall[]): string {
  const lines = done.map(call => (call.failed ? writeFailure(call) : writeResult(call)))
  if (done.length === 1) return lines[0]!
  return done.map((call, i) => `${titleOf(call)}: ${lines[i]}`).join('\n')
}

function writeFailure({ tool, text }: DoneCall): string {
  return `${tool} failed: ${shorten(text)}`
}

function writeResult({ text, data }: DoneCall): string {
  const flat = data === undefined ? undefined : writeFlat(data)
  return shorten(flat ?? text.trim()) || 'Done; there was no output.'
}

/** Small records as "name: value" pairs; larger data stays as it came. */
function writeFlat(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined
  const entries = Object.entries(data)
  if (entries.length === 0 || entries.length > 12) return undefined
  if (entries.some(([, value]) => typeof value === 'object' && value !== null)) return undefined
  return entries.map(([key, value]) => `${key}: ${value}`).join(', ')
}

/** The tool with its first simple argument, which tells two calls of one tool apart. */
function titleOf({ tool, arguments: args }: DoneCall): string {
  const [first] = Object.values(args).filter(value => typeof value !== 'object')
  return first === undefined ? tool : `${tool} (${shorten(String(first), 60)})`
}

function shorten(text: string, limit = MAXIMUM_RESULT): string {
  return text.length <= limit ? text : `${text.slice(0, limit)} …`
}

/** Why nothing was called: what is missing, or which tools came nearest and how sure that is. */
export function writeRefusal({ ranking, missing }: Plan, offered: number): string {
  if (offered === 0) return 'This server offers nothing that could be called.'
  const [best] = ranking
  const named = missing?.tool ?? best?.name
  const second = ranking.find(({ name }) => name !== named)
  const runnerUp = second && second.score > 0 ? ` Next comes ${second.name} (${percent(second.score)}).` : ''
  if (missing)
    return `${missing.tool} would fit (${percent(scoreOf(ranking, missing.tool))} sure), but the message does not say ${listOf(missing.parameters)}.${runnerUp}`
  const nearest = `The nearest is ${best!.name} (${percent(best!.score)} sure, ${percent(RELEVANT)} would do).`
  return `Nothing that this server offers fits the request. ${nearest}${runnerUp}`
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
