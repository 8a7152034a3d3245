import { Context, type Emitter, Output, type Template, toValue, toValueSync } from 'liquidjs'
import type { Json } from '../../shared/definitions.ts'
import { createLiquid } from '../../shared/liquid.ts'
import { notPlain, type PlainTemplate, parsePlainTemplate } from './plain-template.ts'
import type { Scope } from './scope.ts'

/**
 * Templates, parsed once. This file is loaded with the first template that is one (`load-templates.ts`), because a
 * process that only serves fixed text does not need Liquid in memory.
 */
const liquid = createLiquid()

/** More than a client can use; Liquid's own limits count neither output nor `capture`. */
const MAX_OUTPUT_CHARACTERS = 10_000_000

/** A parsed template. Throws when rendering fails or meets a limit. */
export type TextTemplate = (rendering: Rendering) => string
/** Gives undefined for a string that is exactly one `{{ expression }}` without a value. */
export type JsonTemplate = (rendering: Rendering) => unknown

/** The rendering of one answer: all its templates together have the limits of one. */
export class Rendering {
  readonly scope: Scope
  #root: Context | undefined

  constructor(scope: Scope) {
    this.scope = scope
  }

  /** A context of its own for each template, so that what one assigns does not reach the next. */
  context(): Context {
    if (this.#root) return this.#root.spawn(this.scope)
    this.#root = new Context(this.scope, liquid.options, { sync: true })
    return this.#root
  }
}

export function compileText(source: string): TextTemplate {
  if (!isTemplate(source)) return () => source
  const templates = liquid.parse(source)
  const plain = parsePlainTemplate(source)
  if (!plain) return rendering => render(templates, rendering)
  return rendering => renderPlain(plain, rendering) ?? render(templates, rendering)
}

/** Every string in it is a template; one that is exactly one `{{ expression }}` keeps the value's type. */
export function compileJson(source: Json | undefined): JsonTemplate {
  if (typeof source === 'string') return compileValue(source)
  if (Array.isArray(source)) return compileArray(source)
  if (typeof source === 'object' && source !== null) return compileObject(source)
  return () => source
}

function compileValue(source: string): JsonTemplate {
  if (!isTemplate(source)) return () => source
  const templates = liquid.parse(source)
  const [only] = templates
  if (templates.length !== 1 || !(only instanceof Output)) return rendering => render(templates, rendering)
  const evaluate = (rendering: Rendering) =>
    toValue(toValueSync(only.value.value(rendering.context(), false)))
  const [expression] = parsePlainTemplate(source)?.expressions ?? []
  if (!expression) return evaluate
  return rendering => {
    const value = expression(rendering.scope)
    return value === notPlain ? evaluate(rendering) : value
  }
}

function compileArray(source: Json[]): JsonTemplate {
  const entries = source.map(compileJson)
  // An array has no gaps: an entry without a value is null.
  return rendering => entries.map(entry => entry(rendering) ?? null)
}

/** A member without a value is left out. */
function compileObject(source: Record<string, Json>): JsonTemplate {
  const members = Object.entries(source).map(([name, value]) => [name, compileJson(value)] as const)
  return rendering => {
    const values: [string, unknown][] = []
    for (const [name, member] of members) {
      const value = member(rendering)
      if (value !== undefined) values.push([name, value])
    }
    return Object.fromEntries(values)
  }
}

function render(templates: Template[], rendering: Rendering): string {
  const output = new LimitedOutput()
  toValueSync(liquid.renderer.renderTemplates(templates, rendering.context(), output))
  return output.buffer
}

/** Undefined for what Liquid has to render. */
function renderPlain({ texts, expressions }: PlainTemplate, { scope }: Rendering): string | undefined {
  let text = texts[0]!
  for (let index = 0; index < expressions.length; index++) {
    const value = expressions[index]!(scope)
    if (value === notPlain) return undefined
    text += toText(value) + texts[index + 1]!
    if (text.length > MAX_OUTPUT_CHARACTERS) throw outputLimit()
  }
  return text
}

function outputLimit(): Error {
  return new Error(`output limit exceeded (${MAX_OUTPUT_CHARACTERS} characters)`)
}

class LimitedOutput implements Emitter {
  buffer = ''

  write(part: unknown): void {
    this.buffer += toText(part)
    if (this.buffer.length > MAX_OUTPUT_CHARACTERS) throw outputLimit()
  }
}

function isTemplate(source: string): boolean {
  return source.includes('{{') || source.includes('{%')
}

/** As Liquid writes a value, but an object as JSON instead of `[object Object]`. */
function toText(value: unknown): string {
  const plain: unknown = toValue(value)
  if (typeof plain === 'string') return plain
  if (plain === undefined || plain === null) return ''
  if (Array.isArray(plain)) return plain.map(toText).join('')
  return typeof plain === 'object' ? JSON.stringify(plain) : String(plain)
}
