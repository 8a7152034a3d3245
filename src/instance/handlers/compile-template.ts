import type { Json } from '../../shared/definitions.ts'
import { parsePlainTemplate, renderPlain } from './plain-template.ts'
import { type JsonTemplate, Rendering, type TextTemplate } from './rendering.ts'

/** Compiles what is more than a plain template. */
export interface LiquidCompiler {
  text(source: string): TextTemplate
  /** Of a string in a JSON template. */
  value(source: string): JsonTemplate
}

export interface Templates {
  compileText(source: string): TextTemplate
  /** Every string in it is a template; one that is exactly one `{{ expression }}` keeps the value's type. */
  compileJson(source: Json | undefined): JsonTemplate
  Rendering: typeof Rendering
}

/** Without Liquid for definitions whose templates are all plain (`isPlainDefinition`). */
export function createTemplates(liquid?: LiquidCompiler): Templates {
  return { compileText, compileJson, Rendering }

  function compileText(source: string): TextTemplate {
    const plain = parsePlainTemplate(source)
    if (!plain) return needed().text(source)
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
    if (!plain) return needed().value(source)
    const [expression] = plain.expressions
    const isAlone = plain.expressions.length === 1 && plain.texts.every(text => text === '')
    return expression && isAlone ? rendering => expression(rendering.scope) : compileText(source)
  }

  function needed(): LiquidCompiler {
    if (!liquid) throw new Error('a template needs Liquid, which was not loaded')
    return liquid
  }
}

/** An array has no gaps: an entry without a value is null. */
function compileArray(entries: JsonTemplate[]): JsonTemplate {
  return rendering => entries.map(entry => entry(rendering) ?? null)
}

/** A member without a value is left out. */
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
