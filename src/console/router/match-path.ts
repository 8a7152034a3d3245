/** `matchPath('/servers/:name/logs', '/servers/a%20b/logs')` → `{ name: 'a b' }`. Undefined for other paths. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const text = given[index]!
    if (part.startsWith(':')) {
      const decoded = decode(text)
      if (!decoded) return undefined
      params[part.slice(1)] = decoded
    } else if (part !== text) return undefined
  }
  return params
}

/** Undefined for a malformed escape, which any URL can contain. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
