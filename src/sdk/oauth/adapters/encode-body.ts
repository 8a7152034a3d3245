/**
 * Restores a body from the result of a framework's parser. Parsers convert a repeated parameter to an array. This function
 * repeats the parameter again, so that the component can reject it.
 */
export function encodeBody(body: unknown, contentType: string | null | undefined): string {
  if (body === undefined || body === null) return ''
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  if (!contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded')) return JSON.stringify(body)
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(body)) {
    for (const single of [value].flat()) form.append(name, String(single))
  }
  return form.toString()
}
