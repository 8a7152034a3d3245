import type { Binding } from '../bind/bind.ts'
import type { CompletedCall } from '../conversation.ts'
import type { Analysis } from '../text/mention.ts'
import { rankTools } from '../tools/rank.ts'
import { type Parameter, type Signature, signatureOf, type Tool } from '../tools/signature.ts'
import { type Call, callsOf, fallback } from './calls.ts'
import { fillFromResults, waitingParameters } from './chain.ts'
import { fillNested } from './nested.ts'
import { isWeak, type Memory, recall, remember } from './recall.ts'
import { copyMissing, findRecords } from './records.ts'
import { findRequests, type Request } from './requests.ts'

export interface Plan {
  /** Calls that can be made with the current results. */
  calls: Call[]
  /** Tools by score (see `RankedTool`), best first. */
  ranking: { name: string; score: number }[]
  missing?: { tool: string; parameters: string[] }
}

/**
 * Minimum score for a tool to fit a request: how much of the tool the request names, plus how well the request fills the required
 * parameters (up to 0.3) and names optional values (up to 0.16).
 */
export const RELEVANT_SCORE = 0.47
const WEIGHT_OF_FILLING = 0.06
const MAX_FILLED = 5
const WEIGHT_OF_OPTION = 0.08

const MAX_REQUESTS = 12

/** Plans the calls for a message, given the results so far. */
export function planCalls(read: Analysis, tools: Tool[], done: CompletedCall[] = []): Plan {
  const signatures = tools.map(signatureOf)
  const analysis = withoutToolNames(read, signatures)
  const ranking = rankTools(analysis, signatures).map(({ signature, score }) => ({
    name: signature.name,
    score,
  }))
  const requests = findRequests(analysis, signatures).slice(0, MAX_REQUESTS)
  return { ...planRequests(analysis, requests, done, new Map()), ranking }
}

/** Removes tool names in the message ("with the 'get_weather' tool"), which are not values. */
function withoutToolNames(analysis: Analysis, signatures: Signature[]): Analysis {
  const names = new Set(signatures.map(({ name }) => name.replaceAll('.', '_')))
  return {
    ...analysis,
    mentions: analysis.mentions.filter(({ text }) => !names.has(text.replaceAll('.', '_'))),
  }
}

/** Plans the calls of requests in order. Later requests reuse values from earlier ones. */
export function planRequests(
  analysis: Analysis,
  requests: Request[],
  done: CompletedCall[],
  memory: Memory,
): Pick<Plan, 'calls' | 'missing'> {
  const calls: Call[][] = []
  let missing: Plan['missing']
  requests.forEach((request, i) => {
    const answered = answer(analysis, request, memory, i > 0 ? done : undefined)
    if (!isRelevant(answered)) return
    const own: Call[] = []
    for (const binding of requests.length > 1 ? withoutWeak(answered.bindings) : answered.bindings) {
      const lacking = missingIn(binding)
      if (lacking.length === 0) own.push(...callsOf(request.signature, binding, asksRespectively(analysis)))
      else missing ??= { tool: request.signature.name, parameters: lacking }
    }
    calls.push(own)
  })
  return { calls: distinctCalls(withoutParts(calls)), missing }
}

interface AnsweredRequest {
  request: Request
  /** Bindings that do not wait for a result. */
  bindings: Binding[]
}

/** Score of a literally named choice. */
const SCORE_OF_CHOICE = 4

/** True if the score of the request and its parameters is sufficient. Missing required parameters count as 0. */
function isRelevant({ request, bindings: [first] }: AnsweredRequest): boolean {
  const bound = first?.bound.filter(({ parameter }) => parameter.required) ?? []
  const chosen = request.signature.parameters.filter(
    ({ name, required }) => required && first?.exact.has(name),
  )
  const total = bound.length + chosen.length + (first?.missing.length ?? 0)
  const sum = bound.reduce((all, { score }) => all + score, 0) + chosen.length * SCORE_OF_CHOICE
  const filled = total === 0 ? 0 : sum / total
  const optional = (first?.exact.size ?? 0) - chosen.length
  const evidence = WEIGHT_OF_FILLING * Math.min(filled, MAX_FILLED) + WEIGHT_OF_OPTION * Math.min(optional, 2)
  return request.score + evidence >= RELEVANT_SCORE
}

/** With `results`, the request may wait for the results of earlier calls. */
function answer(
  analysis: Analysis,
  request: Request,
  memory: Memory,
  results: CompletedCall[] | undefined,
): AnsweredRequest {
  const { signature, stretch } = request
  const records = findRecords(analysis, signature, stretch)
  for (const record of records) fillNested(analysis, signature, record)
  const bindings = records
    .map(({ binding }) => binding)
    .filter(binding => {
      const wanted = results ? waitingParameters(analysis, stretch, binding, memory) : []
      return fillFromResults(binding, wanted, results ?? [])
    })
  for (const binding of bindings) recall(memory, binding, signature.parameters)
  if (bindings.some(({ missing }) => missing.length > 0)) fillFromRest(analysis, signature, stretch, bindings)
  remember(memory, signature.parameters, bindings)
  return { request, bindings }
}

/** Fills missing values from the rest of the message. */
function fillFromRest(
  analysis: Analysis,
  signature: Signature,
  { from, to }: Request['stretch'],
  bindings: Binding[],
): void {
  if (from === 0 && to === analysis.tokens.length) return
  const whole = findRecords(analysis, signature, { from: 0, to: analysis.tokens.length })
  for (const record of whole)
    for (const binding of bindings) copyMissing(binding, record.binding.values, false)
}

/** Required parameters without a value or a fallback. */
function missingIn(binding: Binding): string[] {
  const given = [...binding.values.values()].flat()
  return binding.missing.filter(parameter => fallback(parameter, given).length === 0).map(describe)
}

function describe({ name, choices }: Parameter): string {
  if (!choices) return name
  const shown = choices.slice(0, 12).map(({ value }) => String(value))
  return `${name} (one of ${shown.join(', ')}${choices.length > shown.length ? ' …' : ''})`
}

function asksRespectively({ tokens }: Analysis): boolean {
  return tokens.some(token => token.lower === 'respectively')
}

/** Drops bindings based on common nouns when others are based on names, quotes or numbers. */
function withoutWeak(bindings: Binding[]): Binding[] {
  const good = bindings.filter(({ bound }) => !bound.some(isWeak))
  return good.length > 0 ? good : bindings
}

/** Drops a call whose arguments are a subset of another call's, for example after "round to 2 digits". */
function withoutParts(calls: Call[][]): Call[] {
  return calls.flatMap((own, i) =>
    own.filter(call => !calls.some((others, at) => at !== i && others.some(other => isPartOf(call, other)))),
  )
}

function isPartOf(call: Call, other: Call): boolean {
  const [few, more] = [Object.entries(call.arguments), Object.entries(other.arguments)]
  if (call.tool !== other.tool || few.length >= more.length) return false
  return few.every(([name, value]) => JSON.stringify(value) === JSON.stringify(other.arguments[name]))
}

function distinctCalls(calls: Call[]): Call[] {
  const seen = new Set<string>()
  return calls.filter(call => {
    const key = JSON.stringify(call)
    return !seen.has(key) && seen.add(key)
  })
}
