/** Bytes that the named gateway has read from a connection, which then belongs to one host. */
export interface NamedRequest {
  /** At least the head of the first request. */
  head: Buffer
  /** Its `Host`, in lower case, with the port. */
  host: string
  /** True for TLS connections. */
  secure?: boolean
}
