import { createSocket } from 'node:dgram'
import fs from 'node:fs'
import { Socket } from 'node:net'
import tty from 'node:tty'
import { denyAll, refusal, replace, SealError } from './denied.ts'
import type { UserOutput } from './user-output.ts'

/**
 * Descriptors are beyond the permission model (https://nodejs.org/api/permissions.html#limitations-and-known-issues), and
 * this process has open ones: its log and the daemon's channel. Nothing that takes a number for a file is left, but
 * printing. Unix sockets are beyond it too; behind one may be a container engine.
 */
export function sealDescriptors(output: UserOutput): void {
  sealFiles(output)
  const pipe = unusedHandle(socket => socket.connect({ path: '/dev/null/none' }))
  denyAll(pipe, ['open', 'connect', 'bind', 'listen', 'fchmod'], 'pipe')
  const tcp = unusedHandle(socket => socket.connect({ port: 1, host: '127.0.0.1' }))
  denyAll(tcp, ['open'], 'tcp')
  denyAll(udpHandle(), ['open'], 'udp')
  denyAll(tty, ['ReadStream', 'WriteStream'], 'tty')
}

const BY_DESCRIPTOR = [
  'read',
  'readv',
  'writev',
  'ftruncate',
  'fchmod',
  'fchown',
  'futimes',
  'fstat',
  'fsync',
  'fdatasync',
].flatMap(name => [name, `${name}Sync`])

const BY_NAME_OR_DESCRIPTOR = ['readFile', 'writeFile', 'appendFile']
  .flatMap(name => [name, `${name}Sync`])
  .concat('truncate', 'truncateSync')

type Callback = (error: Error | null, ...result: unknown[]) => void
type FileFunction = (file: unknown, ...rest: unknown[]) => unknown
const files = fs as unknown as Record<string, FileFunction>

function sealFiles(output: UserOutput): void {
  // Opens what may be read, which is our own program, and leads from there to any descriptor.
  denyAll(fs.promises, ['open'], 'fs.promises')
  replace(fs, 'existsSync', answerExists(fs.existsSync))
  const opened = trackOpened()
  for (const name of [...BY_DESCRIPTOR, ...BY_NAME_OR_DESCRIPTOR]) {
    const act = files[name]
    if (typeof act !== 'function') throw new SealError(`fs.${name} was not found.`)
    const isAllowed = (file: unknown) =>
      opened.has(file) || (typeof file !== 'number' && BY_NAME_OR_DESCRIPTOR.includes(name))
    replace(fs, name, (file: unknown, ...rest: unknown[]) =>
      isAllowed(file) ? act(file, ...rest) : refuse(name, rest),
    )
  }
  replace(fs, 'writeSync', (descriptor: unknown, data: string | Uint8Array, ...rest: unknown[]) =>
    isPrintable(descriptor) ? print(output, descriptor, data, rest) : refuse('writeSync', rest),
  )
  replace(fs, 'write', (descriptor: unknown, data: string | Uint8Array, ...rest: unknown[]) => {
    if (!isPrintable(descriptor)) return refuse('write', rest)
    const written = print(output, descriptor, data, rest)
    const done = callbackOf(rest)
    if (done) process.nextTick(done, null, written, data)
  })
}

/** Many libraries ask for a file of settings when they are loaded, and do without; Node throws here instead of saying no. */
function answerExists(existsSync: typeof fs.existsSync): typeof fs.existsSync {
  return path => {
    try {
      return existsSync(path)
    } catch {
      return false // not permitted, so not there for this process
    }
  }
}

/** As the function itself would fail: by its callback where it has one. */
function refuse(name: string, rest: unknown[]): void {
  const error = refusal(`fs.${name} of a descriptor`)
  const done = name.endsWith('Sync') ? undefined : callbackOf(rest)
  if (!done) throw error
  process.nextTick(done, error)
}

function callbackOf(rest: unknown[]): Callback | undefined {
  return rest.findLast(value => typeof value === 'function') as Callback | undefined
}

function isPrintable(descriptor: unknown): descriptor is 1 | 2 {
  return descriptor === 1 || descriptor === 2
}

/** Descriptors of files that were opened by their names: the permission model has seen these. */
function trackOpened(): Set<unknown> {
  const opened = new Set<unknown>()
  const { open, openSync, close, closeSync } = files as Record<string, FileFunction>
  replace(fs, 'openSync', (name: unknown, ...rest: unknown[]) => {
    const descriptor = openSync!(name, ...rest)
    opened.add(descriptor)
    return descriptor
  })
  replace(fs, 'open', (name: unknown, ...rest: unknown[]) => {
    const done = rest.pop() as Callback
    return open!(name, ...rest, (error: Error | null, descriptor: unknown) => {
      if (!error) opened.add(descriptor)
      done(error, descriptor)
    })
  })
  for (const [name, act] of Object.entries({ close, closeSync }))
    replace(fs, name, (descriptor: unknown, ...rest: unknown[]) =>
      opened.delete(descriptor) ? act!(descriptor, ...rest) : refuse(name, rest),
    )
  return opened
}

/** Loggers write to descriptor 1 by themselves. */
function print(output: UserOutput, descriptor: 1 | 2, data: string | Uint8Array, rest: unknown[]): number {
  const [offset, length] = rest.map(value => (typeof value === 'number' ? value : undefined))
  const bytes =
    typeof data === 'string' ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  const part =
    typeof data === 'string'
      ? bytes
      : bytes.subarray(offset ?? 0, length === undefined ? undefined : (offset ?? 0) + length)
  output.write(descriptor === 1 ? 'stdout' : 'stderr', part.toString())
  return part.length
}

/** The prototype that all native handles of a kind share; user code reaches it through any socket of its own. */
function unusedHandle(begin: (socket: Socket) => void): object {
  const socket = new Socket()
  socket.on('error', () => {}) // there is nothing to connect to
  begin(socket)
  const { _handle: handle } = socket as unknown as { _handle: object | null }
  socket.destroy()
  if (!handle) throw new SealError('the native handle of a socket was not found.')
  return Object.getPrototypeOf(handle)
}

function udpHandle(): object {
  const socket = createSocket('udp4')
  const symbol = Object.getOwnPropertySymbols(socket).find(
    ({ description }) => description === 'state symbol',
  )
  const state = symbol && ((socket as never)[symbol] as { handle?: object })
  if (!state?.handle) throw new SealError('the native handle of a UDP socket was not found.')
  const prototype = Object.getPrototypeOf(state.handle)
  socket.close()
  return prototype
}
