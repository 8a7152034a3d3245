/** Facts about the connection of a request. */
export interface Connection {
  /** IP address of the client, for the registration limit. */
  clientAddress?: string
}
