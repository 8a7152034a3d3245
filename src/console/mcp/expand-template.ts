import type { Params } from './messages.ts'

/** RFC 6570 appendix A: prefix, separator, whether names are written, and whether reserved characters stay. */
const OPERATORS: Record<string, { first: string; between: string; isNamed?: boolean; isRaw?: boolean }> = {
  '': { first: '', between: ',' },
  '+': { first: '', between: ',', isRaw: true },
  '#': { first: '#', between: ',', isRaw: true },
  '.': { first: '.', between: '.' },
  '/': { first: '/', between: '/' },
  ';': { first: ';', between: ';', isNamed: true },
  '?': { first: '?', between: '&', isNamed: true },
  '&': { first: '&', between: '&', isNamed: true },
}
const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g
const MAX_VARIABLES = 100

/** Variables of a URI template, each once. Only variables in the query are optional. */
export function templateVariables(template: string): { name: string; required: boolean }[] {
  const variables = new Map<string, boolean>()
  for (const [, operator, list] of template.matchAll(EXPRESSION))
    for (const name of list!.split(',').map(nameOf))
      if (name !== '' && !variables.has(name)) variables.set(name, operator !== '?' && operator !== '&')
  return [...variables].slice(0, MAX_VARIABLES).map(([name, required]) => ({ name, required }))
}

/** The URI of a template with these values (RFC 6570). Empty values are left out. */
export function expandTemplate(template: string, values: Params): string {
  return template.replace(EXPRESSION, (_, operator: string, list: string) => {
    const { first, between, isNamed, isRaw } = OPERATORS[operator]!
    const parts = list.split(',').flatMap(spec => {
      const text = textOf(values, nameOf(spec))
      if (text === '') return []
      const value = isRaw ? encodeURI(text) : encodeURIComponent(text)
      return [isNamed ? `${nameOf(spec)}=${value}` : value]
    })
    return parts.length > 0 ? first + parts.join(between) : ''
  })
}

/** Name of a variable, without the modifiers `*` and `:3`. */
function nameOf(spec: string): string {
  return spec.replace(/\*$|:\d+$/, '').trim()
}

function textOf(values: Params, name: string): string {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  return value === undefined || value === null ? '' : String(value)
}
