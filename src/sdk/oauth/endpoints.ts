/** Absolute URLs of the component. Disabled endpoints are undefined. */
export interface Endpoints {
  authorize: string
  consent: string
  callback: string
  token: string
  register?: string
  revoke?: string
  introspect?: string
  jwks?: string
  providers?: string
  /** URL of the metadata: its well-known path is between host and path of the issuer (RFC 8414 3.1). */
  metadata: string
}

export interface EndpointSwitches {
  register: boolean
  revoke: boolean
  introspect: boolean
  jwks: boolean
  providers: boolean
}

/** `base`: URL without `/authorize` or a trailing slash. */
export function createEndpoints(issuer: string, base: string, switches: EndpointSwitches): Endpoints {
  return {
    authorize: `${base}/authorize`,
    consent: `${base}/consent`,
    callback: `${base}/callback`,
    token: `${base}/token`,
    ...(switches.register && { register: `${base}/register` }),
    ...(switches.revoke && { revoke: `${base}/revoke` }),
    ...(switches.introspect && { introspect: `${base}/introspect` }),
    ...(switches.jwks && { jwks: `${base}/jwks` }),
    ...(switches.providers && { providers: `${base}/providers` }),
    metadata: wellKnown(issuer, 'oauth-authorization-server'),
  }
}

/** `https://host/path` → `https://host/.well-known/<name>/path` (RFC 8414 3.1, RFC 9728 3.1). */
export function wellKnown(identifier: string, name: string): string {
  const { origin, pathname, search } = new URL(identifier)
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname}${search}`
}
