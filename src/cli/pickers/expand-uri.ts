const EXPRESSION = /\{([+#/.?&]?)([^}]*)\}/g

/** Prefix and separator of the values of an operator (RFC 6570, appendix A). */
const OPERATORS: Record<string, readonly [first: string, between: string]> = {
  '': ['', ','],
  '+': ['', ','],
  '#': ['#', ','],
  '/': ['/', '/'],
  '.': ['.', '.'],
  '?': ['?', '&'],
  '&': ['&', '&'],
}

/** Names of the variables of a URI template. */
export function variablesOf(template: string): string[] {
  return [...template.matchAll(EXPRESSION)].flatMap(([, , list = '']) => list.split(',').map(nameOf))
}

/** URI of a template with one text per variable. Omits variables without a value. */
export function expandUri(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(EXPRESSION, (_, operator: string, list: string) => {
    const [first, between] = OPERATORS[operator]!
    const parts = list
      .split(',')
      .map(nameOf)
      .filter(name => values[name] !== undefined)
      .map(name => partOf(operator, name, values[name]!))
    return parts.length === 0 ? '' : first + parts.join(between)
  })
}

function partOf(operator: string, name: string, value: string): string {
  const text = /[+#]/.test(operator) ? encodeURI(value) : encodeURIComponent(value)
  return /[?&]/.test(operator) ? `${name}=${text}` : text
}

/** Without the modifier: `path*` → `path`. */
function nameOf(variable: string): string {
  return variable.replace(/\*$/, '')
}
