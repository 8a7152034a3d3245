import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** Accepts connections without reading from them, like the daemon. Disposal closes the clients' ends. */
export class AcceptedSockets implements Disposable {
  readonly #listener = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
  readonly #clients: Socket[] = []

  /** Opens a connection. Returns the accepted end and the port of the other one. */
  async accept(): Promise<{ socket: Socket; port: number }> {
    if (!this.#listener.listening) await once(this.#listener, 'listening')
    const accepted = once(this.#listener, 'connection')
    const { port } = this.#listener.address() as { port: number }
    const client = connect(port, '127.0.0.1').on('error', () => {})
    this.#clients.push(client)
    await once(client, 'connect')
    const [socket] = (await accepted) as [Socket]
    ;(socket as { server?: unknown }).server = undefined
    return { socket, port: client.localPort! }
  }

  [Symbol.dispose](): void {
    this.#listener.close()
    for (const client of this.#clients) client.destroy()
  }
}
