/** Response headers, by name: `components.headers`. */
export const HEADERS = {
  'X-Request-Id': header('Id of the request, equal to `meta.request_id`.', 'req_4h7k2m9q5w1x8z3c6v0b'),
  'X-RateLimit-Limit': header('Requests per hour that the plan allows.', 1000),
  'X-RateLimit-Remaining': header('Requests left in this window.', 997),
  'X-RateLimit-Reset': header('Unix time in seconds at which the window ends.', 1_795_352_400),
  'Retry-After': header('Seconds to wait before the next request.', 3600),
  'WWW-Authenticate': header(
    'Bearer challenge (RFC 6750).',
    'Bearer realm="mcp-hosting", error="invalid_token"',
  ),
  'Preference-Applied': header('Preference that was applied (RFC 7240).', 'respond-async'),
  ETag: header('Version of the record (RFC 9110 8.8.3).', '"4f0Z5m8Qk1yVb7RtXw2c9A"'),
  'Idempotent-Replayed': header('`true` if the answer is replayed.', 'true'),
  'Set-Cookie': header(
    'Removes the cookie of the console.',
    'mcp_console=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict',
  ),
  Location: header('Path of the new record.', '/v1/build/mcp_4h7k2m9q5w1x8z3c6v0b'),
} as const

export type HeaderName = keyof typeof HEADERS

function header(description: string, example: string | number) {
  const type = typeof example === 'number' ? 'integer' : 'string'
  return { description, required: true, schema: { type }, example }
}

/** Headers of a response, by name. `optional`: headers that may be missing from the response. */
export function describeHeaders(names: readonly HeaderName[], optional: readonly HeaderName[] = []) {
  const required = names.map(name => [name, { $ref: `#/components/headers/${name}` }])
  // Copies instead of references, because client generators would treat a header behind a reference as required.
  const rest = optional.map(name => {
    const { description, schema } = HEADERS[name]
    return [name, { description, schema }]
  })
  return Object.fromEntries([...required, ...rest])
}
