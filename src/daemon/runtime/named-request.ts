/** What the named gateway has read of a connection, which belongs to one host from then on. */
export interface NamedRequest {
  /** Bytes that were read, the head of the first request at least. */
  head: Buffer
  /** Its `Host`, in lower case, with the port. */
  host: string
  /** It came over TLS. */
  secure?: boolean
}
