import type { Socket } from 'node:net'
import type { FromEgress, ToEgress } from '../shared/network/egress-protocol.ts'
import { acceptFrom } from './accept.ts'
import { Border } from './border.ts'
import { HttpProxy } from './http-proxy.ts'
import type { Resolver } from './resolve.ts'

const REPORT_MS = 200

/** Network access of all confined processes of a daemon. */
export class Egress {
  readonly #borders = new Map<string, Border>()
  readonly #http = new HttpProxy()
  readonly #resolver: Resolver
  readonly #send: (message: FromEgress) => void
  #report: NodeJS.Timeout | undefined

  constructor(resolver: Resolver, send: (message: FromEgress) => void) {
    this.#resolver = resolver
    this.#send = send
  }

  /** `listener` comes with `listen`: the argument for `net.Server.listen`. Undefined when the handle was lost. */
  receive(message: ToEgress, listener?: unknown): void {
    const { processId } = message
    switch (message.type) {
      case 'listen':
        return listener ? this.#listen(processId, listener) : undefined
      case 'policy':
        return this.#borders.get(processId)?.setPolicy(message.settings)
      case 'forget':
        return this.#forget(processId)
    }
  }

  border(processId: string): Border | undefined {
    return this.#borders.get(processId)
  }

  #listen(processId: string, listener: unknown): void {
    const border = new Border(listener, {
      processId,
      resolver: this.#resolver,
      accept: (socket: Socket, to: Border) => acceptFrom(socket, to, this.#http),
      onTraffic: () => this.#reportSoon(),
    })
    this.#borders.set(processId, border)
  }

  #forget(processId: string): void {
    const border = this.#borders.get(processId)
    border?.close()
    this.#sendTraffic()
    this.#borders.delete(processId)
  }

  #reportSoon(): void {
    this.#report ??= setTimeout(() => this.#sendTraffic(), REPORT_MS)
  }

  #sendTraffic(): void {
    clearTimeout(this.#report)
    this.#report = undefined
    const entries = [...this.#borders.values()].flatMap(border =>
      border.takeTraffic().map(counts => ({ processId: border.processId, ...counts })),
    )
    if (entries.length > 0) this.#send({ type: 'traffic', entries })
  }
}
