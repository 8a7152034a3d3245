import type { Mention, MentionKind } from '../text/mention.ts'
import type { Parameter } from '../tools/signature.ts'
import { assign, type BoundParameter, type Candidate, collide } from './assign.ts'
import { type ChosenValue, findChosen, isExact, readFlag } from './choose.ts'
import { mentionsIn, type Scope } from './scope.ts'

/** The arguments for one tool from one part of the message. */
export interface Binding {
  /** Values by parameter. Several values mean several calls. */
  values: Map<string, unknown[]>
  bound: BoundParameter[]
  missing: Parameter[]
  /** Positions of enumeration values and examples. */
  used: { from: number; to: number }[]
  /** Parameters whose choice the message names literally. */
  exact: Set<string>
  score: number
}

export function bind(scope: Scope): Binding {
  const { parameters } = scope.signature
  const values = new Map<string, unknown[]>()
  const used: { from: number; to: number }[] = []
  const exact = new Set<string>()
  readClosed(scope, parameters, { values, used, exact })
  const open = parameters.filter(
    parameter => !values.has(parameter.name) && !parameter.choices && parameter.type !== 'boolean',
  )
  const assigned = assignWithLists(scope, open, used)
  const bound = [...assigned, ...assignRemaining(scope, open, assigned, used)]
  for (const { parameter, values: found } of bound) values.set(parameter.name, found)
  const missing = parameters.filter(parameter => parameter.required && !values.has(parameter.name))
  return {
    values,
    bound,
    missing,
    used,
    exact,
    score: bound.reduce((sum, { score }) => sum + score, 0) + values.size,
  }
}

/** Searches for enumeration values, flags and values named in descriptions, instead of assigning mentions. */
function readClosed(
  scope: Scope,
  parameters: Parameter[],
  { values, used, exact }: Pick<Binding, 'values' | 'used' | 'exact'>,
): void {
  for (const parameter of parameters) {
    if (parameter.type === 'boolean') {
      const flag = readFlag(scope, parameter)
      if (flag) values.set(parameter.name, [flag.value])
      if (flag) exact.add(parameter.name)
    } else {
      const choices = parameter.choices ?? parameter.items?.choices
      const chosen = choices
        ? findChosen(scope, choices, parameter.type === 'array')
        : findSuggested(scope, parameter)
      if (chosen.length === 0) continue
      const many = parameter.type === 'array'
      const kept = many ? chosen.toSorted((a, b) => a.at - b.at) : choices ? chosen : inOneList(scope, chosen)
      const all = kept.map(hit => hit.value)
      values.set(parameter.name, many ? [all] : all)
      if (kept.some(isExact)) exact.add(parameter.name)
      for (const hit of kept) used.push({ from: hit.at, to: hit.at + hit.length })
    }
  }
}

/** Kinds of mentions for which examples count. Other kinds (URLs, codes) are values regardless of the examples. */
const FREE_KINDS = new Set<MentionKind>(['phrase', 'name', 'quoted', 'number'])

/** The first example in the message, with the other examples in the same list. */
function inOneList({ analysis }: Scope, chosen: ChosenValue[]): ChosenValue[] {
  const within = (list: Mention[], { at }: ChosenValue) => list.some(({ from, to }) => from <= at && at < to)
  const list = analysis.lists.find(members => within(members, chosen[0]!))
  return list ? chosen.filter(hit => within(list, hit)).sort((a, b) => a.at - b.at) : chosen.slice(0, 1)
}

/** Examples in a description count only if the message uses them literally. */
function findSuggested(scope: Scope, parameter: Parameter): ChosenValue[] {
  const texts =
    parameter.type === 'string' || (parameter.type === 'array' && parameter.items?.type === 'string')
  if (!texts || parameter.roles.has('place')) return []
  const words = parameter.suggestions.filter(choice => choice.stems.some(part => part.length > 2))
  const free = ({ at }: ChosenValue) => FREE_KINDS.has(scope.analysis.owners[at]?.kind ?? 'phrase')
  return findChosen(scope, words, parameter.type === 'array').filter(hit => hit.score > 1 && free(hit))
}

function assignWithLists(
  scope: Scope,
  parameters: Parameter[],
  used: { from: number; to: number }[],
): BoundParameter[] {
  const mentions = mentionsIn(scope).filter(mention => !used.some(spot => isSpent(mention, spot)))
  const singles = mentions.map(mention => toCandidate([mention]))
  const takesLiterals = mentions.some(({ kind }) => kind === 'literal')
  const lists = scope.analysis.lists
    .filter(list => takesLiterals || list[0]!.kind !== 'literal')
    .filter(list => list[0]!.from >= scope.from && list.at(-1)!.to <= scope.to)
    .map(toCandidate)
  const arrays = parameters.some(parameter => parameter.type === 'array')
  const first = assign(scope, parameters, arrays ? [...singles, ...lists] : singles)
  const split = lists.filter(list => isSplit(list, first))
  if (split.length === 0) return first
  const paired = split.length === 1 ? distributeList(split[0]!, first) : undefined
  if (paired) return paired
  return assign(scope, parameters, [
    ...singles.filter(single => !split.some(list => collide(list, single))),
    ...lists,
  ])
}

/** "3 and 4, 5 and 12" for two parameters: one call per pair. */
function distributeList(list: Candidate, bound: BoundParameter[]): BoundParameter[] | undefined {
  const takers = bound.filter(
    ({ candidate, parameter }) => parameter.type !== 'array' && collide(candidate, list),
  )
  if (takers.length < 2 || list.members.length % takers.length !== 0) return undefined
  const values = list.members.map(member => member.quantity?.value ?? member.text)
  const dealt = takers.map((taker, i) => ({
    ...taker,
    values: values.filter((_, at) => at % takers.length === i),
    dealt: true,
  }))
  return [...bound.filter(other => !takers.includes(other)), ...dealt]
}

/** True if an enumeration value covers the mention, which is then not a value itself. */
function isSpent(mention: Mention, spot: { from: number; to: number }): boolean {
  const marks = mention.kind === 'quoted' ? 2 : 0
  return collide(spot, mention) && mention.to - mention.from - marks <= spot.to - spot.from
}

const EXPLICIT = new Set<MentionKind>(['code', 'path', 'url', 'email', 'quoted'])

/** Assigns the only unused explicit value to the only unfilled optional text parameter. */
function assignRemaining(
  scope: Scope,
  parameters: Parameter[],
  bound: BoundParameter[],
  used: { from: number; to: number }[],
): BoundParameter[] {
  const open = parameters.filter(
    parameter =>
      parameter.type === 'string' &&
      !parameter.required &&
      !bound.some(other => other.parameter === parameter),
  )
  const left = mentionsIn(scope).filter(
    mention =>
      EXPLICIT.has(mention.kind) &&
      ![...bound.map(({ candidate }) => candidate), ...used].some(spot => collide(spot, mention)),
  )
  if (open.length !== 1 || left.length !== 1) return []
  return assign(scope, [{ ...open[0]!, required: true }], [toCandidate(left)]).map(found => ({
    ...found,
    parameter: open[0]!,
  }))
}

function toCandidate(members: Mention[]): Candidate {
  return { members, from: members[0]!.from, to: members.at(-1)!.to }
}

/** True when only some members of the list were used. */
function isSplit(list: Candidate, bound: BoundParameter[]): boolean {
  if (bound.some(({ candidate }) => candidate.members.length > 1 && collide(candidate, list))) return false
  const taken = list.members.filter(member => bound.some(({ candidate }) => collide(candidate, member)))
  return taken.length > 0 && taken.length < list.members.length
}
