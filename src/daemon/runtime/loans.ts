import type { ToInstance } from '../../shared/instance-protocol.ts'
import { type LendableSocket, Loan, type SocketHandle } from './loan.ts'

/** The listening sockets that one process has borrowed, at most one a tenant. */
export class Loans {
  readonly #send: (message: ToInstance, handle?: SocketHandle) => void
  readonly #byId = new Map<number, { tenantId: string; loan: Loan }>()
  #lastId = 0

  constructor(send: (message: ToInstance, handle?: SocketHandle) => void) {
    this.#send = send
  }

  begin(tenantId: string, socket: LendableSocket): void {
    const loanId = ++this.#lastId
    const revoke = () => {
      this.#byId.delete(loanId)
      this.#send({ type: 'give-back', tenantId, loanId })
    }
    const loan = new Loan({ socket, revoke })
    const handle = socket.offer(loan)
    if (!handle) return
    this.#byId.set(loanId, { tenantId, loan })
    this.#send({ type: 'lend', tenantId, loanId }, handle)
  }

  /** What comes for a loan that is over is closed. */
  arrived(loanId: number, kept: SocketHandle | undefined): void {
    const known = this.#byId.get(loanId)
    if (known) known.loan.arrived(kept)
    else kept?.close()
  }

  renew(loanId: number, accepted: number): void {
    this.#byId.get(loanId)?.loan.renew(accepted)
  }

  end(tenantId: string): void {
    for (const known of [...this.#byId.values()]) if (known.tenantId === tenantId) known.loan.end()
  }

  endAll(): void {
    for (const { loan } of [...this.#byId.values()]) loan.end()
  }
}
