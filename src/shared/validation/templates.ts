import type { BuildRequest, Handler } from '../definitions/definitions.ts'
import { isTemplate } from '../definitions/liquid.ts'
import { joinPath } from '../json/json-walk.ts'

/** A Liquid template and its position in the definitions. */
export interface PlacedTemplate {
  path: string
  source: string
}

/** All Liquid templates of the definitions, in their order. Strings without Liquid are omitted. */
export function listTemplates({ tools = [], resources = [], prompts = [] }: BuildRequest): PlacedTemplate[] {
  return [
    ...tools.flatMap(({ handler }, index) => handlerTemplates(`tools[${index}].handler`, handler)),
    ...resources.flatMap(({ text, handler, completions }, index) => {
      const path = `resources[${index}]`
      return [
        ...stringsIn(`${path}.text`, text),
        ...handlerTemplates(`${path}.handler`, handler),
        ...completionTemplates(path, completions),
      ]
    }),
    ...prompts.flatMap(({ template, messages, completions }, index) => {
      const path = `prompts[${index}]`
      return [
        ...stringsIn(`${path}.template`, template),
        ...stringsIn(`${path}.messages`, messages),
        ...completionTemplates(path, completions),
      ]
    }),
  ]
}

function handlerTemplates(path: string, handler: Handler | undefined): PlacedTemplate[] {
  if (handler === undefined || handler.type === 'module') return []
  const { type: _type, ...templated } = handler
  return stringsIn(path, templated)
}

/** Completions that are templates. A list of values is never a template. */
function completionTemplates(
  path: string,
  completions: Record<string, string[] | string> = {},
): PlacedTemplate[] {
  return Object.entries(completions).flatMap(([name, source]) =>
    typeof source === 'string' ? stringsIn(joinPath(`${path}.completions`, name), source) : [],
  )
}

function stringsIn(path: string, value: unknown): PlacedTemplate[] {
  if (typeof value === 'string') return isTemplate(value) ? [{ path, source: value }] : []
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, member]) =>
    stringsIn(joinPath(path, Array.isArray(value) ? Number(key) : key), member),
  )
}
