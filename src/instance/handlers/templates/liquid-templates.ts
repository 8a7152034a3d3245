import { Context, type Emitter, Output, type Template, toValue, toValueSync } from 'liquidjs'
import { createLiquid } from '../../../shared/definitions/liquid.ts'
import { createTemplates } from './compile-template.ts'
import { addToOutput } from './plain-template.ts'
import { type JsonTemplate, Rendering, type TextTemplate } from './rendering.ts'

/**
 * Liquid templates, parsed once. Loaded for the first template that needs Liquid (`load.ts`), because plain templates do not
 * need the library in memory.
 */
const liquid = createLiquid()

export const { compileText, compileJson } = createTemplates({
  text: compileLiquidText,
  value: compileLiquidValue,
})
export { Rendering }

function compileLiquidText(source: string): TextTemplate {
  const templates = liquid.parse(source)
  return rendering => render(templates, rendering)
}

function compileLiquidValue(source: string): JsonTemplate {
  const templates = liquid.parse(source)
  const [only] = templates
  if (templates.length !== 1 || !(only instanceof Output)) return rendering => render(templates, rendering)
  return rendering => toValue(toValueSync(only.value.value(contextOf(rendering), false)))
}

/** Context of a rendering. Each template gets its own, so that assignments do not affect the next one. */
function contextOf(rendering: Rendering): Context {
  if (rendering.liquidContext) return rendering.liquidContext.spawn(rendering.scope)
  rendering.liquidContext = new Context(rendering.scope, liquid.options, { sync: true })
  return rendering.liquidContext
}

function render(templates: Template[], rendering: Rendering): string {
  const output = new LimitedOutput()
  toValueSync(liquid.renderer.renderTemplates(templates, contextOf(rendering), output))
  return output.buffer
}

class LimitedOutput implements Emitter {
  buffer = ''

  write(part: unknown): void {
    this.buffer = addToOutput(this.buffer, toValue(part))
  }
}
