import { Context, Liquid, Output, type Template, toValueSync } from 'liquidjs'
import type { Json } from './definitions.ts'

/**
 * The one Liquid engine of the product: no file system, own properties only, and the library's limits on, so that a
 * template can neither read the machine nor run away with it (https://liquidjs.com/tutorials/dos.html).
 */
export const LIQUID_LIMITS = { parseLimit: 100_000, renderLimit: 1000, memoryLimit: 10_000_000 } as const

export type Scope = Record<string, unknown>
export type Render<T> = (scope: Scope) => T

export function createLiquid(): Liquid {
  const liquid = new Liquid({
    ...LIQUID_LIMITS,
    ownPropertyOnly: true,
    strictFilters: true,
    cache: false,
    relativeReference: false,
    templates: {},
    // A server must answer alike wherever it runs.
    timezoneOffset: 0,
  })
  // There are no other files to include: naming one is a mistake to be told at build time, not at the first call.
  for (const tag of ['include', 'render', 'layout', 'block']) delete liquid.tags[tag]
  return liquid
}

let engine: Liquid | undefined

/** Made on first use: a process that renders nothing does not pay for it. */
export function liquidEngine(): Liquid {
  engine ??= createLiquid()
  return engine
}

/** Parses a template. Throws the library's ParseError or TokenizationError, whose message ends with `line:…, col:…`. */
export function parseTemplate(source: string): Template[] {
  return liquidEngine().parse(source)
}

export function isTemplate(source: string): boolean {
  return source.includes('{{') || source.includes('{%')
}

/** A template that renders to text. Parsed here, once; rendering throws RenderError for a limit or a failing filter. */
export function compileText(source: string): Render<string> {
  if (!isTemplate(source)) return () => source
  const templates = parseTemplate(source)
  return scope => liquidEngine().renderSync(templates, scope)
}

/** As {@link compileText}, but a source that is exactly one `{{ expression }}` keeps the value's type; undefined is null. */
export function compileValue(source: string): Render<unknown> {
  if (!isTemplate(source)) return () => source
  const templates = parseTemplate(source)
  const [only] = templates
  if (templates.length !== 1 || !(only instanceof Output))
    return scope => liquidEngine().renderSync(templates, scope)
  return scope => evaluate(only, scope) ?? null
}

function evaluate(output: Output, scope: Scope): unknown {
  const liquid = liquidEngine()
  const context = new Context(scope, liquid.options, { sync: true }, { liquid })
  return toValueSync(output.value.value(context, false))
}

/** JSON in which every string is a template (keys are not). Parts without any are handed out as they are, not copied. */
export function compileJson(value: Json): Render<unknown> {
  return hasTemplate(value) ? compileTemplated(value) : () => value
}

function compileTemplated(value: Json): Render<unknown> {
  if (typeof value === 'string') return compileValue(value)
  if (Array.isArray(value)) {
    const items = value.map(compileJson)
    return scope => items.map(render => render(scope))
  }
  const members = Object.entries(value as Record<string, Json>).map(
    ([key, member]) => [key, compileJson(member)] as const,
  )
  return scope => {
    const result: Record<string, unknown> = {}
    for (const [key, render] of members) result[key] = render(scope)
    return result
  }
}

function hasTemplate(value: Json): boolean {
  if (typeof value === 'string') return isTemplate(value)
  if (value === null || typeof value !== 'object') return false
  return Object.values(value).some(hasTemplate)
}
