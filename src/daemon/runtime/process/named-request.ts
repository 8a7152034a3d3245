/** Bytes that the named gateway has read from a connection to find its server. */
export interface NamedRequest {
  /** At least the head of the first request. */
  head: Buffer
  /** `Host` of that request, in lower case, with the port if it has one. */
  host: string
  /** True for TLS connections. */
  secure?: boolean
}
