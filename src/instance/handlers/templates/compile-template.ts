import type { Json } from '../../../shared/definitions/definitions.ts'
import { parsePlainTemplate, renderPlain } from './plain-template.ts'
import { type JsonTemplate, Rendering, type TextTemplate } from './rendering.ts'

export interface LiquidCompiler {
  text(source: string): TextTemplate
  /** Compiles a string of a JSON template. */
  value(source: string): JsonTemplate
}

export interface Templates {
  compileText(source: string): TextTemplate
  /**
   * Compiles a JSON template, in which every string is a template. A string that is exactly one `{{ expression }}` keeps the
   * value's type.
   */
  compileJson(source: Json | undefined): JsonTemplate
  Rendering: typeof Rendering
}

/** Creates the compiler. `liquid` is not needed for definitions whose templates are all plain (`isPlainDefinition`). */
export function createTemplates(liquid?: LiquidCompiler): Templates {
  return { compileText, compileJson, Rendering }

  function compileText(source: string): TextTemplate {
    const plain = parsePlainTemplate(source)
    if (!plain) return requireLiquid().text(source)
    return plain.expressions.length === 0 ? () => source : rendering => renderPlain(plain, rendering.scope)
  }

  function compileJson(source: Json | undefined): JsonTemplate {
    if (typeof source === 'string') return compileValue(source)
    if (Array.isArray(source)) return compileArray(source.map(compileJson))
    if (typeof source === 'object' && source !== null)
      return compileObject(Object.entries(source).map(([name, value]) => [name, compileJson(value)]))
    return () => source
  }

  function compileValue(source: string): JsonTemplate {
    const plain = parsePlainTemplate(source)
    if (!plain) return requireLiquid().value(source)
    const [expression] = plain.expressions
    const isAlone = plain.expressions.length === 1 && plain.texts.every(text => text === '')
    return expression && isAlone ? rendering => expression(rendering.scope) : compileText(source)
  }

  function requireLiquid(): LiquidCompiler {
    if (!liquid) throw new Error('A template requires Liquid, which is not loaded')
    return liquid
  }
}

/** Compiles an array. Missing entries become null, because JSON arrays cannot have gaps. */
function compileArray(entries: JsonTemplate[]): JsonTemplate {
  return rendering => entries.map(entry => entry(rendering) ?? null)
}

/** Compiles an object. Members without a value are omitted. */
function compileObject(members: [string, JsonTemplate][]): JsonTemplate {
  return rendering => {
    const values: [string, unknown][] = []
    for (const [name, member] of members) {
      const value = member(rendering)
      if (value !== undefined) values.push([name, value])
    }
    return Object.fromEntries(values)
  }
}
