/** Request headers, by name: `components.parameters`. */
export const REQUEST_HEADERS = {
  'Idempotency-Key': header(
    'Unique id of the request, at most 255 visible ASCII characters. A repeated request within 24 hours receives the first answer.',
    '8e03978e-40d5-43dd-bc93-6894a57f9324',
    { minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  ),
  'X-Api-Key': header(
    'API key, if `Authorization` contains a token for the server. Without this header, `Authorization` contains the API key and is not passed on.',
    'mcp_sk_4h7k2m9q5w1x8z3c6v0b',
  ),
  Prefer: header(
    '`respond-async` (RFC 7240) asks for 202 before the work is done. `temporary`: the build is removed ten minutes after its last test.',
    'respond-async',
  ),
  'Last-Event-ID': header(
    'Id of the last received event. The stream continues after it.',
    'inst_4h7k2m9q5w1x8z3c6v0b:1024',
  ),
  'If-Match': header(
    'Entity tags of the record as the client knows it, or `*` (RFC 9110 13.1.1). 412 if the record has changed.',
    '"4f0Z5m8Qk1yVb7RtXw2c9A"',
  ),
  'If-None-Match': header(
    'Entity tags (RFC 9110 13.1.2). A GET of a matching record answers 304. With `*`, a PUT only creates.',
    '"4f0Z5m8Qk1yVb7RtXw2c9A"',
  ),
} as const

export type RequestHeaderName = keyof typeof REQUEST_HEADERS

function header(description: string, example: string, rules = {}) {
  return { in: 'header', required: false, description, schema: { type: 'string', ...rules }, example }
}

export function describeRequestHeaders(names: readonly RequestHeaderName[]) {
  return names.map(name => ({ $ref: `#/components/parameters/${name}` }))
}
