import { type Binding, bind } from '../bind/bind.ts'
import { type Scope, scopeOf } from '../bind/scope.ts'
import type { Analysis } from '../text/mention.ts'
import type { Signature } from '../tools/signature.ts'
import { cutPieces, type Piece } from './pieces.ts'
import { isWeak } from './recall.ts'

/** The arguments of one call and their position. */
export interface Record {
  piece: Piece
  binding: Binding
}

/**
 * Splits a part of the message into records for several calls. A new record starts where a piece repeats a parameter and
 * therefore does not fit into the same call: "a base of 6 and a height of 10, and one with a base of 4 …".
 */
export function findRecords(analysis: Analysis, signature: Signature, stretch: Piece): Record[] {
  const pieces = cutPieces(analysis, stretch.from, stretch.to).slice(0, MAX_PIECES)
  const records: Record[] = []
  for (const piece of pieces) {
    const alone = { piece, binding: bindPiece(analysis, signature, piece) }
    const last = records.at(-1)
    if (!last) {
      records.push(alone)
      continue
    }
    const joined = { from: last.piece.from, to: piece.to }
    const both = { piece: joined, binding: bindPiece(analysis, signature, joined) }
    const apart = conflicts(last.binding, alone.binding, both.binding)
    if (apart && !onlyExtendsArrays(last.binding, alone.binding)) records.push(alone)
    else records[records.length - 1] = apart ? withExtendedArrays(last, alone) : both
  }
  const last = records.at(-1)
  if (last && last.piece.to < stretch.to) last.piece = { from: last.piece.from, to: stretch.to }
  return share(records)
}

const MAX_PIECES = 40

function bindPiece(analysis: Analysis, signature: Signature, { from, to }: Piece): Binding {
  const scope: Scope = scopeOf(analysis, signature, from, to)
  return bind(scope)
}

/** True when values would be lost by merging both into one call. */
function conflicts(before: Binding, alone: Binding, both: Binding): boolean {
  const own = alone.bound.filter(isSure).length + countExact(alone)
  if (own === 0) return false
  const repeated =
    alone.bound.some(
      bound =>
        isSure(bound) && before.bound.some(other => other.parameter === bound.parameter && isSure(other)),
    ) || repeatsExact(before, alone)
  if (!repeated) return false
  const kept = both.bound.filter(isSure).length + countExact(both)
  return kept < before.bound.filter(isSure).length + countExact(before) + own
}

/** True if the piece only adds items to arrays: "with disabled access, and open 24 hours". */
function onlyExtendsArrays(before: Binding, { bound, exact }: Binding): boolean {
  const own = bound.filter(isSure)
  if (own.some(({ candidate }) => candidate.members[0]!.kind === 'literal')) return false
  const known = (name: string) => before.values.has(name)
  return (
    own.length > 0 &&
    exact.size === 0 &&
    own.every(({ parameter }) => parameter.type === 'array' && known(parameter.name))
  )
}

function withExtendedArrays(before: Record, { piece, binding }: Record): Record {
  const values = new Map(before.binding.values)
  for (const { parameter, values: more } of binding.bound.filter(isSure))
    values.set(parameter.name, [
      [...(values.get(parameter.name)![0] as unknown[]), ...(more[0] as unknown[])],
    ])
  return { piece: { from: before.piece.from, to: piece.to }, binding: { ...before.binding, values } }
}

function isSure({ score, parameter, candidate }: Binding['bound'][number]): boolean {
  const weak = candidate.members.every(({ kind }) => kind === 'phrase' || kind === 'passage')
  return score >= (weak ? 2.1 : parameter.required ? 1 : 2)
}

/** Number of flags and literally named choices that are set. */
function countExact(binding: Binding): number {
  return binding.exact.size
}

function repeatsExact(before: Binding, alone: Binding): boolean {
  for (const name of alone.exact) {
    if (!before.exact.has(name)) continue
    if (JSON.stringify(before.values.get(name)) !== JSON.stringify(alone.values.get(name))) return true
  }
  return false
}

/** Fills missing values of each record from the previous record, and then from the next one. */
function share(records: Record[]): Record[] {
  const general = records[0] ? leadingValues(records[0].binding) : new Map<string, unknown[]>()
  for (let i = 1; i < records.length; i++) {
    const { binding } = records[i]!
    const continues = binding.values.size <= 1
    replaceWeak(binding, records[i - 1]!.binding)
    copyMissing(binding, records[i - 1]!.binding.values, continues)
    copyMissing(binding, general, true)
  }
  for (let i = records.length - 2; i >= 0; i--)
    copyMissing(records[i]!.binding, records[i + 1]!.binding.values, false)
  return records
}

/** Replaces a weak common noun with the name or quote of the previous record. */
function replaceWeak(binding: Binding, before: Binding): void {
  for (const bound of binding.bound) {
    if (!isWeak(bound)) continue
    const earlier = before.bound.find(({ parameter }) => parameter === bound.parameter)
    if (earlier && !isWeak(earlier)) binding.values.set(bound.parameter.name, earlier.values)
  }
}

/** Optional values before all required ones. They apply to every call: "in miles, from A to B and from B to C". */
function leadingValues({ bound }: Binding): Map<string, unknown[]> {
  const first = Math.min(
    ...bound.filter(({ parameter }) => parameter.required).map(({ candidate }) => candidate.from),
  )
  const early = bound.filter(({ parameter, candidate }) => !parameter.required && candidate.from < first)
  return new Map(early.map(({ parameter, values }) => [parameter.name, values]))
}

/** Copies values that the binding lacks: those of required parameters, or all with `optionalToo`. */
export function copyMissing(binding: Binding, values: Map<string, unknown[]>, optionalToo: boolean): void {
  for (const [name, found] of values) {
    if (binding.values.has(name)) continue
    const required = binding.missing.some(parameter => parameter.name === name)
    if (required || optionalToo) binding.values.set(name, found)
  }
  binding.missing = binding.missing.filter(parameter => !binding.values.has(parameter.name))
}
