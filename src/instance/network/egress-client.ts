import { Socket } from 'node:net'
import type { ControlAnswer, ControlError, ControlRequest } from '../../shared/network/egress-protocol.ts'
import { connectOwn } from './own-connect.ts'

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never
export type Question = WithoutId<ControlRequest>

interface PendingAnswer {
  resolve(answer: ControlAnswer): void
  reject(error: Error): void
}

const LOOPBACK = '127.0.0.1'
/** Each requested connection uses its own source address, so that the egress process can distinguish them. */
const FIRST_SOURCE = 0x7f_40_00_01
const SOURCE_COUNT = 0x3f_ff_fe

/** Sends queries to the egress process over one connection. If the connection breaks, the next query reconnects. */
export class EgressClient {
  readonly port: number
  readonly #pending = new Map<number, PendingAnswer>()
  #socket: Socket | undefined
  #unfinished = ''
  #lastId = 0
  #lastSource = 0

  constructor(port: number) {
    this.port = port
  }

  /** Rejects with the errors of `net.connect` and `dns.lookup`. */
  async ask(question: Question): Promise<ControlAnswer> {
    const id = ++this.#lastId
    const answered = new Promise<ControlAnswer>((resolve, reject) =>
      this.#pending.set(id, { resolve, reject }),
    )
    const socket = this.#open()
    socket.ref()
    socket.write(`${JSON.stringify({ ...question, id })}\n`)
    const answer = await answered
    if (answer.type === 'failed') throw toError(answer.error)
    return answer
  }

  /** A local address that no other connection of this process uses. */
  nextSource(): string {
    this.#lastSource = (this.#lastSource + 1) % SOURCE_COUNT
    const value = FIRST_SOURCE + this.#lastSource
    return [24, 16, 8, 0].map(bits => (value >>> bits) & 255).join('.')
  }

  #open(): Socket {
    if (this.#socket && !this.#socket.destroyed) return this.#socket
    const socket = new Socket()
    this.#socket = socket
    this.#unfinished = ''
    connectOwn(socket, { port: this.port, host: LOOPBACK })
    socket.setEncoding('utf8')
    socket.setNoDelay(true)
    socket.on('error', () => {}) // 'close' follows
    socket.on('data', (text: unknown) => this.#read(String(text)))
    socket.on('close', () => this.#onLost(socket))
    return socket
  }

  #read(text: string): void {
    const lines = (this.#unfinished + text).split('\n')
    this.#unfinished = lines.pop()!
    for (const line of lines) {
      const answer = JSON.parse(line) as ControlAnswer
      this.#pending.get(answer.id)?.resolve(answer)
      this.#pending.delete(answer.id)
    }
    // Only an unanswered query keeps the process running.
    if (this.#pending.size === 0) this.#socket?.unref()
  }

  #onLost(socket: Socket): void {
    if (this.#socket !== socket) return
    this.#socket = undefined
    const error = toError({ code: 'ECONNRESET', message: 'The connection to the egress process was lost.' })
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }
}

function toError({ message, ...details }: ControlError): Error {
  return Object.assign(new Error(message), details)
}
