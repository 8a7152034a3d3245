import fs from 'node:fs'
import { denyAll, refusal, replace, SealError } from './denied.ts'
import { apply, bare, bytesOf, uncurryThis } from './intrinsics.ts'
import type { UserOutput } from './user-output.ts'

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
type FileFunction = (...args: unknown[]) => unknown
/** Descriptors of files opened by name, which the permission model has checked. */
type OpenedFiles = Record<number, true>

const { nextTick } = process
const text = uncurryThis<Uint8Array, [], string>(Buffer.prototype.toString as never)
const Bytes = Uint8Array

/** Restricts `node:fs` to names, which the permission model checks, to files that were opened by name, and to printing. */
export function sealFiles(output: UserOutput): void {
  // Code could reach any descriptor through the class of the file handles that `open` returns.
  denyAll(fs.promises, ['open'], 'fs.promises')
  const opened = trackOpened()
  for (const name of BY_DESCRIPTOR) limitToOpened(name, opened, false)
  for (const name of BY_NAME_OR_DESCRIPTOR) limitToOpened(name, opened, true)
  sealPrinting(output)
  hideExistence()
}

function limitToOpened(name: string, opened: OpenedFiles, acceptsNames: boolean): void {
  const act = functionOf(name)
  const isSync = name.endsWith('Sync')
  replace(fs, name, (...args: unknown[]) => {
    const file = args[0]
    const isAllowed = typeof file === 'number' ? opened[file] === true : acceptsNames
    return isAllowed ? apply(act, undefined, args) : refuse(name, args, isSync)
  })
}

function trackOpened(): OpenedFiles {
  const opened: OpenedFiles = bare()
  const [open, openSync] = [functionOf('open'), functionOf('openSync')]
  replace(fs, 'openSync', (...args: unknown[]) => {
    const descriptor = apply(openSync, undefined, args) as number
    opened[descriptor] = true
    return descriptor
  })
  replace(fs, 'open', (...args: unknown[]) => {
    const last = args.length - 1
    const done = args[last] as Callback
    if (typeof done === 'function')
      args[last] = (error: Error | null, descriptor: number) => {
        if (!error) opened[descriptor] = true
        done(error, descriptor)
      }
    return apply(open, undefined, args)
  })
  for (const name of ['close', 'closeSync']) {
    const act = functionOf(name)
    replace(fs, name, (...args: unknown[]) => {
      const file = args[0]
      if (typeof file !== 'number' || opened[file] !== true) return refuse(name, args, name === 'closeSync')
      delete opened[file]
      return apply(act, undefined, args)
    })
  }
  return opened
}

function functionOf(name: string): FileFunction {
  const found = (fs as unknown as Record<string, unknown>)[name]
  if (typeof found !== 'function') throw new SealError(`fs.${name} was not found.`)
  return found as FileFunction
}

/** Redirects writes to descriptors 1 and 2, which loggers use directly, to `output`. Refuses all other descriptors. */
function sealPrinting(output: UserOutput): void {
  replace(fs, 'writeSync', (...args: unknown[]) =>
    isPrintable(args[0]) ? print(output, args[0], args) : refuse('writeSync', args, true),
  )
  replace(fs, 'write', (...args: unknown[]) => {
    if (!isPrintable(args[0])) return refuse('write', args, false)
    const written = print(output, args[0], args)
    const done = callbackOf(args)
    const data = args[1]
    if (done) nextTick(() => done(null, written, data))
  })
}

function isPrintable(descriptor: unknown): descriptor is 1 | 2 {
  return descriptor === 1 || descriptor === 2
}

/** Returns the number of printed bytes: the whole text, or the bytes from an offset. */
function print(output: UserOutput, descriptor: 1 | 2, args: readonly unknown[]): number {
  const data = args[1]
  const bytes = typeof data === 'string' ? bytesOf(data) : partOf(data as Uint8Array, args[2], args[3])
  output.write(descriptor === 1 ? 'stdout' : 'stderr', typeof data === 'string' ? data : text(bytes))
  return bytes.length
}

function partOf(data: Uint8Array, offset: unknown, length: unknown): Uint8Array {
  const from = typeof offset === 'number' ? offset : 0
  const count = typeof length === 'number' ? length : data.byteLength - from
  return bytesOf(new Bytes(data.buffer, data.byteOffset + from, count))
}

/** Fails like the original function: through its callback if it has one. */
function refuse(name: string, args: readonly unknown[], isSync: boolean): void {
  const error = refusal(`fs.${name} on ${typeof args[0] === 'number' ? 'a descriptor' : 'this file'}`)
  const done = isSync ? undefined : callbackOf(args)
  if (!done) throw error
  nextTick(() => done(error))
}

function callbackOf(args: readonly unknown[]): Callback | undefined {
  const last = args[args.length - 1]
  return typeof last === 'function' ? (last as Callback) : undefined
}

/** Hides whether unreadable files exist. */
function hideExistence(): void {
  const { existsSync, realpath, realpathSync } = fs
  replace(fs, 'existsSync', (path: string) => {
    try {
      // Many libraries look for an optional settings file when they are loaded. Node throws here instead of returning false.
      return existsSync(path)
    } catch {
      return false // not permitted, so it does not exist for this process
    }
  })
  // Node resolves links without checking the permission to read the file.
  replace(fs, 'realpathSync', onlyReadable('realpathSync', realpathSync.native, true))
  replace(fs, 'realpath', onlyReadable('realpath', realpath.native, false))
}

function onlyReadable(name: string, native: unknown, isSync: boolean): FileFunction {
  const { permission } = process
  const { has } = permission ?? { has: () => true }
  const resolve = (...args: unknown[]) => {
    const isReadable = typeof args[0] === 'string' && apply(has, permission, ['fs.read', args[0]])
    return isReadable ? apply(native as FileFunction, undefined, args) : refuse(name, args, isSync)
  }
  return Object.assign(resolve, { native: resolve })
}
