/**
 * State of a form: the JSON value itself, so that nothing is lost between form and raw JSON. Only two things are added, at any
 * depth: text that is not a value yet, and the user's choice between alternatives. Immutable. Absent values are undefined.
 */
export type State = undefined | null | boolean | number | string | Draft | Chosen | State[] | StateObject

export interface StateObject {
  [name: string]: State
}

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Text as typed that is not a valid value yet. */
export class Draft {
  readonly text: string
  readonly fault: string
  /** Widget that shows the text. */
  readonly widget: 'number' | 'raw'

  constructor(text: string, fault: string, widget: Draft['widget'] = 'raw') {
    this.text = text
    this.fault = fault
    this.widget = widget
  }
}

/** A new entry or item that has no value yet. */
export const BLANK = new Draft('', 'has no value')

/** True when there is nothing to show. */
export function isBlank(state: State): boolean {
  const value = plain(state)
  return value === undefined || (value instanceof Draft && value.text === '')
}

/** Keywords that offer alternatives. */
export type Alternatives = 'oneOf' | 'anyOf' | 'type'

/** Alternative that the user picked. Without it, typing could switch to another alternative that fits better. */
export class Chosen {
  readonly keyword: Alternatives
  readonly index: number
  readonly state: State

  constructor(keyword: Alternatives, index: number, state: State) {
    this.keyword = keyword
    this.index = index
    this.state = state
  }
}

export type Kind = 'absent' | 'draft' | 'null' | 'boolean' | 'number' | 'string' | 'list' | 'object'

/** The state without the user's choices at its top level. */
export function plain(state: State): Exclude<State, Chosen> {
  let value = state
  while (value instanceof Chosen) value = value.state
  return value
}

export function kindOf(state: State): Kind {
  const value = plain(state)
  if (value === undefined) return 'absent'
  if (value === null) return 'null'
  if (value instanceof Draft) return 'draft'
  if (Array.isArray(value)) return 'list'
  if (isExactNumber(value)) return 'number'
  return typeof value as Kind
}

/** A number with more digits than JavaScript's numbers have (https://github.com/tc39/proposal-json-parse-with-source). */
export interface ExactNumber {
  rawJSON: string
}

interface JsonWithSource {
  isRawJSON?(value: unknown): boolean
  rawJSON?(text: string): StateObject
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return (JSON as JsonWithSource).isRawJSON?.(value) ?? false
}

/** Keeps all digits if a JavaScript number would lose some and the browser supports longer numbers. */
export function exactNumber(text: string): number | StateObject {
  const number = Number(text)
  const digits = text.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '')
  const isExact = Number.isFinite(number) && (digits.length <= 15 || String(number) === text)
  return isExact ? number : ((JSON as JsonWithSource).rawJSON?.(text) ?? number)
}

export function asObject(state: State): StateObject | undefined {
  return kindOf(state) === 'object' ? (plain(state) as StateObject) : undefined
}

export function asList(state: State): State[] | undefined {
  const value = plain(state)
  return Array.isArray(value) ? value : undefined
}

/** Own members only, because a server may name a field `constructor`. */
export function memberOf(state: State, name: string): State {
  const members = asObject(state)
  return members && Object.hasOwn(members, name) ? members[name] : undefined
}

/** Replaces a member in place, or appends it if it is new. Removes it if the value is undefined. */
export function withMember(state: State, name: string, value: State): StateObject {
  const members = asObject(state) ?? {}
  // A computed key creates a member even for `__proto__`, which an assignment would not.
  if (value !== undefined) return { ...members, [name]: value }
  return Object.fromEntries(Object.entries(members).filter(([key]) => key !== name))
}

export function withRenamed(state: State, from: string, to: string): StateObject {
  const entries = Object.entries(asObject(state) ?? {})
  return Object.fromEntries(entries.map(([name, value]) => [name === from ? to : name, value]))
}

/** Sets an item. Items before it are absent until they are set. */
export function withItem(state: State, index: number, value: State): State[] {
  const items = [...(asList(state) ?? [])]
  while (items.length < index) items.push(undefined)
  items[index] = value
  return items
}

/** Removes absent items at the end. Undefined if no item is left. */
export function trimmed(items: State[]): State[] | undefined {
  const end = items.findLastIndex(item => plain(item) !== undefined) + 1
  return end > 0 ? items.slice(0, end) : undefined
}

export function withoutItem(state: State, index: number): State[] {
  return (asList(state) ?? []).toSpliced(index, 1)
}

export function withMovedItem(state: State, from: number, to: number): State[] {
  const items = asList(state) ?? []
  return to < 0 || to >= items.length ? items : items.toSpliced(from, 1).toSpliced(to, 0, items[from])
}

/** The JSON value of a state. Drafts become null, see `hasDraft`. */
export function toJson(state: State): Json | undefined {
  const value = plain(state)
  if (value instanceof Draft) return null
  if (Array.isArray(value)) return value.map(item => toJson(item) ?? null)
  const members = asObject(value)
  if (!members) return value as Json | undefined
  const set = Object.entries(members).map(([name, member]) => [name, toJson(member)] as const)
  return Object.fromEntries(set.filter(([, member]) => member !== undefined)) as Json
}

/** True when the state has text that is not a value, so that `toJson` would lose it. */
export function hasDraft(state: State): boolean {
  const value = plain(state)
  if (value instanceof Draft) return true
  if (Array.isArray(value)) return value.some(hasDraft)
  return Object.values(asObject(value) ?? {}).some(hasDraft)
}
