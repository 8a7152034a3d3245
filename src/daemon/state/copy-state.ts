import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Worker } from 'node:worker_threads'
import { HostingError } from '../../shared/errors.ts'
import { visitFiles } from '../../shared/unlinked-files.ts'
import type { StateRequest, StateResponse } from './state-calls.ts'

export interface StateCopy {
  /** Folders `<server>/<environment>`. */
  from: string
  to: string
  /** Folder for unfinished copies, on the same disk as `to`. Created if necessary. */
  unfinished: string
  /** Path of `state.js`. */
  program: string
  nowMs: number
}

/**
 * Copies the entries that users share, and the files of programs. The copy appears complete or not at all. Returns false when
 * there is nothing to copy, or the target has state already.
 */
export async function copyState({ from, to, unfinished, program, nowMs }: StateCopy): Promise<boolean> {
  if (existsSync(to) || !existsSync(from)) return false
  const copy = join(unfinished, `${randomBytes(6).toString('hex')}.tmp`)
  await mkdir(copy, { recursive: true, mode: 0o700 })
  try {
    const store = join(from, 'store.db')
    if (existsSync(store))
      await runInThread(program, { path: store, nowMs, call: { method: 'copy', to: join(copy, 'store.db') } })
    await copyFiles(join(from, 'files'), join(copy, 'files'))
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    return await renameUnlessTaken(copy, to)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** Runs in a separate thread, because copying a large store takes a second and must not delay access to other stores. */
async function runInThread(program: string, request: Omit<StateRequest, 'id'>): Promise<void> {
  const worker = new Worker(program)
  try {
    const response = await new Promise<StateResponse>((resolve, reject) => {
      worker.once('message', resolve).once('error', reject)
      worker.once('exit', () => reject(new Error('its thread exited')))
      worker.postMessage({ id: 0, ...request })
    })
    if ('error' in response) throw new HostingError('UNAVAILABLE', response.error.message, response.error)
  } finally {
    await worker.terminate()
  }
}

async function copyFiles(from: string, to: string): Promise<void> {
  await visitFiles(from, async (path, descriptor) => {
    await mkdir(dirname(join(to, path)), { recursive: true, mode: 0o700 })
    await pipeline(
      createReadStream('', { fd: descriptor, autoClose: false, start: 0 }),
      createWriteStream(join(to, path), { mode: 0o600, flush: true }),
    )
  })
}

/** False when another copy came first. */
async function renameUnlessTaken(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false
    throw error
  }
}
