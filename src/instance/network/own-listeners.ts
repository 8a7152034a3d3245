import { Server } from 'node:net'

// Captured when loaded, because handler modules may replace it.
const { listen } = Server.prototype

/** Ports on which this process listens, so that a module may call its own server. */
export class OwnListeners {
  readonly #ports = new Map<number, number>()

  constructor() {
    const ports = this.#ports
    Server.prototype.listen = function (this: Server, ...args: unknown[]) {
      this.once('listening', () => {
        const address = this.address()
        if (typeof address !== 'object' || !address) return
        const { port } = address
        ports.set(port, (ports.get(port) ?? 0) + 1)
        this.once('close', () => ports.set(port, (ports.get(port) ?? 1) - 1))
      })
      return Reflect.apply(listen, this, args) as Server
    } as Server['listen']
  }

  has(host: string, port: number): boolean {
    return isLoopback(host) && (this.#ports.get(port) ?? 0) > 0
  }
}

export function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/i.test(host)
}
