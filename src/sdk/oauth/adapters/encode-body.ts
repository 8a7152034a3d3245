/**
 * A body as it came, from what a framework's parser made of it. A parameter that came twice, which parsers make an array, comes
 * twice again: that it did is an error for the component to find.
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
