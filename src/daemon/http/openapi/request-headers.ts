/** Request headers, by name: `components.parameters`. */
export const REQUEST_HEADERS = {
  Prefer: header(
    'Prefer',
    '`respond-async` (RFC 7240) asks for 202 before the work is done.',
    'respond-async',
  ),
  'Last-Event-ID': header(
    'Last-Event-ID',
    'Id of the last received event. The stream continues after it.',
    'inst_4h7k2m9q5w1x8z3c6v0b:1024',
  ),
} as const

export type RequestHeaderName = keyof typeof REQUEST_HEADERS

function header(name: string, description: string, example: string) {
  return { name, in: 'header', required: false, description, schema: { type: 'string' }, example }
}

export function describeRequestHeaders(names: readonly RequestHeaderName[]) {
  return names.map(name => ({ $ref: `#/components/parameters/${name}` }))
}
