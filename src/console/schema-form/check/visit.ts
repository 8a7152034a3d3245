import { isSchemaObject, type SchemaDocument, type SchemaObject } from '../model/schema-document.ts'
import { type Alternatives, Chosen, Draft, isExactNumber, type State } from '../model/state.ts'

export interface Problem {
  /** JSON pointer of the field that the problem belongs to. */
  pointer: string
  /** As in Ajv's errors, so that both result in the same messages. */
  instancePath: string
  keyword: string
  params: Record<string, unknown>
  message: string
  data?: unknown
  parentSchema?: unknown
}

type Rule = (schema: SchemaObject, at: Visit) => Problem[]

interface Run {
  document: SchemaDocument
  rules: readonly Rule[]
  /** Remaining steps of the whole check. */
  steps: number
}

const MAX_DEPTH = 100

/** A value and its position while it is checked. */
export class Visit {
  readonly run: Run
  readonly state: Exclude<State, Chosen>
  readonly pointer: string
  /** Alternatives that the user picked, which decide whose problems are reported. */
  readonly picked: Partial<Record<Alternatives, number>>
  readonly #depth: number

  constructor(run: Run, state: State, pointer = '', parent?: Visit) {
    this.run = run
    this.pointer = pointer
    this.picked = pointer === parent?.pointer ? { ...parent.picked } : {}
    this.#depth = parent ? parent.#depth + 1 : 0
    let value = state
    while (value instanceof Chosen) {
      this.picked[value.keyword] ??= value.index
      value = value.state
    }
    this.state = value
  }

  /** Checks the same value against another schema. */
  with(schema: unknown): Problem[] {
    return this.#check(schema, this.state, this.pointer)
  }

  /** Checks a member or an item. */
  inside(schema: unknown, step: string | number, state: State): Problem[] {
    return this.#check(schema, state, childPointer(this.pointer, step))
  }

  problem(keyword: string, params: Problem['params'], message: string, pointer = this.pointer): Problem {
    return { pointer, instancePath: this.pointer, keyword, params, message, data: shownValue(this.state) }
  }

  /** Accepts values beyond the limits. */
  #check(schema: unknown, state: State, pointer: string): Problem[] {
    if (this.run.steps-- <= 0 || this.#depth > MAX_DEPTH) return []
    const at = new Visit(this.run, state, pointer, this)
    if (schema === false) return [at.problem('false schema', {}, 'is not allowed')]
    if (at.state instanceof Draft) return [at.problem('draft', {}, at.state.fault)]
    if (at.state === undefined) return [at.problem('draft', {}, 'has no value')]
    if (!isSchemaObject(schema)) return []
    return this.run.rules.flatMap(rule => rule(schema, at))
  }
}

function shownValue(state: State): unknown {
  if (isExactNumber(state)) return Number(state.rawJSON)
  return state instanceof Draft ? undefined : state
}

export function childPointer(pointer: string, step: string | number): string {
  return `${pointer}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** A keyword's value if it is a number. Hostile schemas can have any value anywhere. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

export function schemasIn(value: unknown): Record<string, unknown> {
  return isSchemaObject(value) ? value : {}
}

export function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
