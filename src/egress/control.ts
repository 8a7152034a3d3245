import type { Socket } from 'node:net'
import {
  type ControlAnswer,
  type ControlRequest,
  MAX_CONTROL_LINE,
  RECORD_TYPES,
} from '../shared/network/egress-protocol.ts'
import type { Border } from './border.ts'
import { LimitError, toControlError } from './failure.ts'
import { reserve } from './reserved.ts'

/** Maximum number of unanswered requests per connection. */
const MAX_PENDING = 1024
/** Maximum size of answers that the process has not read. */
const MAX_UNREAD_BYTES = 1024 * 1024
const MAX_RECORD_BYTES = 64 * 1024

/** Loopback addresses of reserved connections. Connections made by programs use other addresses. */
const RESERVED_ADDRESS = /^127\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d{1,3}\.\d{1,3}$/

/** Answers requests from a process with handler modules until the connection is closed. Closes it on malformed input. */
export function serveControl(socket: Socket, border: Border): void {
  let unfinished = ''
  let pending = 0
  const send = (answer: ControlAnswer) => {
    pending--
    if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy()
    else socket.write(`${JSON.stringify(answer)}\n`)
  }
  const take = (line: string) => {
    const request = parseRequest(line)
    if (!request || ++pending > MAX_PENDING) return void socket.destroy()
    void answer(request, border, socket).then(send)
  }
  socket.setEncoding('utf8')
  socket.on('end', () => socket.end())
  socket.on('data', (text: string) => {
    const lines = (unfinished + text).split('\n')
    unfinished = lines.pop()!
    for (const line of lines) if (!socket.destroyed) take(line)
    if (unfinished.length > MAX_CONTROL_LINE) socket.destroy()
  })
  socket.resume()
}

async function answer(request: ControlRequest, border: Border, control: Socket): Promise<ControlAnswer> {
  const { id } = request
  try {
    switch (request.type) {
      case 'lookup':
        return { id, type: 'addresses', addresses: await border.lookup(request.host) }
      case 'resolve':
        return {
          id,
          type: 'records',
          records: limitRecords(await border.resolve(request.host, request.records)),
        }
      case 'connect': {
        const { host, port, from, address } = request
        const upstream = await border.open(host, port, address)
        if (control.destroyed)
          upstream.destroy() // no connection will follow
        else reserve(border, from, { upstream, host, port })
        return { id, type: 'connected' }
      }
    }
  } catch (error) {
    return { id, type: 'failed', error: toControlError(error) }
  }
}

function limitRecords(records: unknown): unknown {
  if (JSON.stringify(records).length <= MAX_RECORD_BYTES) return records
  throw new LimitError(`The records are longer than ${MAX_RECORD_BYTES / 1024} KB.`)
}

function parseRequest(line: string): ControlRequest | undefined {
  if (line.length > MAX_CONTROL_LINE) return undefined
  const request = parseObject(line)
  if (!request || !Number.isSafeInteger(request.id) || !isHost(request.host)) return undefined
  return isRequest(request) ? (request as unknown as ControlRequest) : undefined
}

function isRequest({ type, port, from, address, records }: Record<string, unknown>): boolean {
  switch (type) {
    case 'lookup':
      return true
    case 'resolve':
      return (RECORD_TYPES as readonly unknown[]).includes(records)
    case 'connect':
      return (
        Number.isInteger(port) &&
        Number(port) >= 0 &&
        Number(port) <= 65_535 &&
        typeof from === 'string' &&
        RESERVED_ADDRESS.test(from) &&
        (address === undefined || isHost(address))
      )
    default:
      return false
  }
}

function isHost(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= 1024
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
