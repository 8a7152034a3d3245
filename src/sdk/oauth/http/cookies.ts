export interface Cookies {
  read(request: Request, name: string): string | undefined
  /** A `Set-Cookie` value. */
  write(name: string, value: string, maxAgeSeconds: number): string
  clear(name: string): string
}

/**
 * Cookies of the component. With https, their prefix is `__Host-`, so that other hosts of the domain cannot set them (RFC 6265bis
 * 4.1.3.2). With http (a loopback issuer in development), the prefix and `Secure` are omitted, because not all browsers store
 * such cookies.
 */
export function createCookies(isSecure: boolean): Cookies {
  const prefix = isSecure ? '__Host-mcp-' : 'mcp-'
  // Lax instead of Strict, because the identity provider redirects back from another site.
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    read: (request, name) => findCookie(request.headers.get('cookie') ?? '', prefix + name),
    write: (name, value, maxAge) => `${prefix}${name}=${value}; Max-Age=${maxAge}; ${attributes}`,
    clear: name => `${prefix}${name}=; Max-Age=0; ${attributes}`,
  }
}

function findCookie(header: string, name: string): string | undefined {
  for (const part of header.split(';')) {
    const [key, ...value] = part.trim().split('=')
    if (key === name) return value.join('=')
  }
  return undefined
}
