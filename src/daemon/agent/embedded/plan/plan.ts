import type { Binding } from '../bind/bind.ts'
import type { DoneCall } from '../conversation.ts'
import type { Analysis } from '../text/mention.ts'
import { rankTools } from '../tools/rank.ts'
import { type Parameter, type Signature, signatureOf, type Tool } from '../tools/signature.ts'
import { type Call, callsOf, fallback } from './calls.ts'
import { fillFromResults, waitingFor } from './chain.ts'
import { fillNested } from './nested.ts'
import { isPoor, type Memory, recall, remember } from './recall.ts'
import { findRecords, inherit } from './records.ts'
import { findRequests, type Request } from './requests.ts'

export interface Plan {
  /** What can be called now, as far as the results at hand go. */
  calls: Call[]
  /** Tools by how well they fit, best first: about 0 to 1. */
  ranking: { name: string; score: number }[]
  /** What the message lacks for a tool that would fit. */
  missing?: { tool: string; parameters: string[] }
}

/**
 * From here on a message asks for a tool: what it names of it (0 to 1.5), and how well it fills what the tool requires (up
 * to 0.3).
 */
export const RELEVANT = 0.47
const WEIGHT_OF_FILLING = 0.06
const MOST_FILLED = 5
const WEIGHT_OF_OPTION = 0.08

/** More requests than this are no message to a test agent. */
const MAXIMUM_REQUESTS = 12

/** What to call for a message, given the results of the calls made so far, or why nothing. */
export function planCalls(read: Analysis, tools: Tool[], done: DoneCall[] = []): Plan {
  const signatures = tools.map(signatureOf)
  const analysis = withoutToolNames(read, signatures)
  const ranking = rankTools(analysis, signatures).map(({ signature, score }) => ({
    name: signature.name,
    score,
  }))
  const requests = findRequests(analysis, signatures).slice(0, MAXIMUM_REQUESTS)
  return { ...planRequests(analysis, requests, done, new Map()), ranking }
}

/** Who writes "with the 'get_weather' tool" gives no value. */
function withoutToolNames(analysis: Analysis, signatures: Signature[]): Analysis {
  const names = new Set(signatures.map(({ name }) => name.replaceAll('.', '_')))
  return {
    ...analysis,
    mentions: analysis.mentions.filter(({ text }) => !names.has(text.replaceAll('.', '_'))),
  }
}

/** The calls of requests in their order; values of earlier ones stand in for what later ones leave out. */
export function planRequests(
  analysis: Analysis,
  requests: Request[],
  done: DoneCall[],
  memory: Memory,
): Pick<Plan, 'calls' | 'missing'> {
  const calls: Call[][] = []
  let missing: Plan['missing']
  requests.forEach((request, i) => {
    const answered = answer(analysis, request, memory, i > 0 ? done : undefined)
    if (!isRelevant(answered)) return
    const own: Call[] = []
    for (const binding of requests.length > 1 ? withoutPoor(answered.bindings) : answered.bindings) {
      const lacking = lackingIn(binding)
      if (lacking.length === 0) own.push(...callsOf(request.signature, binding, respectively(analysis)))
      else missing ??= { tool: request.signature.name, parameters: lacking }
    }
    calls.push(own)
  })
  return { calls: distinct(withoutParts(calls)), missing }
}

interface Answered {
  request: Request
  /** Of those that need no result that is not there yet. */
  bindings: Binding[]
}

/** What a choice that is named in its very words counts beside the scores of assigned values. */
const SCORE_OF_CHOICE = 4

/** Mean score of the values of required parameters counts, what is missing as nothing. */
function isRelevant({ request, bindings: [first] }: Answered): boolean {
  const bound = first?.bound.filter(({ parameter }) => parameter.required) ?? []
  const chosen = request.signature.parameters.filter(
    ({ name, required }) => required && first?.exact.has(name),
  )
  const total = bound.length + chosen.length + (first?.missing.length ?? 0)
  const sum = bound.reduce((all, { score }) => all + score, 0) + chosen.length * SCORE_OF_CHOICE
  const filled = total === 0 ? 0 : sum / total
  const optional = (first?.exact.size ?? 0) - chosen.length
  const evidence =
    WEIGHT_OF_FILLING * Math.min(filled, MOST_FILLED) + WEIGHT_OF_OPTION * Math.min(optional, 2)
  return request.score + evidence >= RELEVANT
}

/** With `results` the request may wait for what the calls of earlier ones bring. */
function answer(
  analysis: Analysis,
  request: Request,
  memory: Memory,
  results: DoneCall[] | undefined,
): Answered {
  const { signature, stretch } = request
  const records = findRecords(analysis, signature, stretch)
  for (const record of records) fillNested(analysis, signature, record)
  const bindings = records
    .map(({ binding }) => binding)
    .filter(binding => {
      const wanted = results ? waitingFor(analysis, stretch, binding, memory) : []
      return fillFromResults(binding, wanted, results ?? [])
    })
  for (const binding of bindings) recall(memory, binding, signature.parameters)
  if (bindings.some(({ missing }) => missing.length > 0)) fillFromRest(analysis, signature, stretch, bindings)
  remember(memory, signature.parameters, bindings)
  return { request, bindings }
}

/** What the stretch itself does not say may stand elsewhere in the message. */
function fillFromRest(
  analysis: Analysis,
  signature: Signature,
  { from, to }: Request['stretch'],
  bindings: Binding[],
): void {
  if (from === 0 && to === analysis.tokens.length) return
  const whole = findRecords(analysis, signature, { from: 0, to: analysis.tokens.length })
  for (const record of whole) for (const binding of bindings) inherit(binding, record.binding.values, false)
}

/** Required parameters without a value, and without anything to fall back on. */
function lackingIn(binding: Binding): string[] {
  const given = [...binding.values.values()].flat()
  return binding.missing.filter(parameter => fallback(parameter, given).length === 0).map(describe)
}

function describe({ name, choices }: Parameter): string {
  if (!choices) return name
  const shown = choices.slice(0, 12).map(({ value }) => String(value))
  return `${name} (one of ${shown.join(', ')}${choices.length > shown.length ? ' …' : ''})`
}

function respectively({ tokens }: Analysis): boolean {
  return tokens.some(token => token.lower === 'respectively')
}

/** Records that mere common nouns made do not count beside others that names, quotes or numbers made. */
function withoutPoor(bindings: Binding[]): Binding[] {
  const good = bindings.filter(({ bound }) => !bound.some(isPoor))
  return good.length > 0 ? good : bindings
}

/** A later request that only adds to the call of an earlier one ("round to 2 digits") makes it anew: the fuller one stays. */
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

function distinct(calls: Call[]): Call[] {
  const seen = new Set<string>()
  return calls.filter(call => {
    const key = JSON.stringify(call)
    return !seen.has(key) && seen.add(key)
  })
}
