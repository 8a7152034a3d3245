import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { HomePaths } from '../shared/paths.ts'
import type { InheritedSockets } from './gateway/inherited-sockets.ts'
import type { EstateText, FromHeir, ToHeir } from './heir-messages.ts'
import { lockHome } from './home-lock.ts'

const STANDARD_INPUT = 0
const LOCK_TRIES = 200
const LOCK_PAUSE_MS = 25

/** What this daemon takes over from the one that started it. */
export interface Inheritance {
  apiPort: number
  namedPorts: { http?: number; https?: number }
  sockets: InheritedSockets
}

/** Waits until the daemon that started this one has made room, or has died: its sockets are here in either case. */
export async function awaitTurn(): Promise<Inheritance> {
  const { apiPort, namedPorts, sockets }: EstateText = JSON.parse(readFileSync(STANDARD_INPUT, 'utf8'))
  const { promise, resolve } = Promise.withResolvers<void>()
  process.on('message', ({ type }: ToHeir) => type === 'go' && resolve())
  process.once('disconnect', resolve)
  tellPredecessor({ type: 'loaded' })
  if (!process.connected) resolve()
  await promise
  return { apiPort, namedPorts, sockets: new Map(sockets) }
}

/** The predecessor gives the home up at about this time. */
export async function lockFreedHome(paths: HomePaths): Promise<{ release(): void }> {
  for (let tries = 1; ; tries++) {
    try {
      return lockHome(paths)
    } catch (error) {
      if (tries === LOCK_TRIES) throw error
      await sleep(LOCK_PAUSE_MS)
    }
  }
}

/** From now on it ends its part. */
export async function tellServing(): Promise<void> {
  await becomeMainProcess()
  tellPredecessor({ type: 'serving' })
}

export function tellFailed(error: Record<string, unknown>): void {
  tellPredecessor({ type: 'failed', error })
}

function tellPredecessor(message: FromHeir): void {
  if (process.connected) process.send!(message, undefined, undefined, () => {}) // it may be gone, and that is fine
}

/** systemd ends a service with its main process, so it has to know the new one (`NotifyAccess=all` in the unit). */
async function becomeMainProcess(): Promise<void> {
  if (!process.env.NOTIFY_SOCKET) return
  await promisify(execFile)('systemd-notify', [`--pid=${process.pid}`, '--ready']).catch(() => {})
}
