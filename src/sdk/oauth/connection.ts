/** Facts about a request that the request itself does not carry. */
export interface Connection {
  /** IP address of the client, for the registration limit. */
  clientAddress?: string
}
