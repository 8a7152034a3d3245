import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { HomePaths } from '../../shared/paths.ts'
import { lockHome } from '../home/home-lock.ts'
import type { InheritedState } from './hand-over.ts'
import type { FromSuccessor, InheritedStateJson, ToSuccessor } from './messages.ts'

const STANDARD_INPUT = 0
const LOCK_TRIES = 200
const LOCK_PAUSE_MS = 25

/** Waits until the predecessor has handed over or died. The sockets are inherited in either case. */
export async function waitForTakeOver(): Promise<InheritedState> {
  const { apiPort, namedPorts, sockets }: InheritedStateJson = JSON.parse(
    readFileSync(STANDARD_INPUT, 'utf8'),
  )
  const { promise, resolve } = Promise.withResolvers<void>()
  process.on('message', ({ type }: ToSuccessor) => type === 'go' && resolve())
  process.once('disconnect', resolve)
  sendToPredecessor({ type: 'loaded' })
  if (!process.connected) resolve()
  await promise
  return { apiPort, namedPorts, sockets: new Map(sockets) }
}

/** Waits up to 5 s for the lock of the home, which the other daemon releases at about the same time. */
export async function waitForHomeLock(paths: HomePaths): Promise<{ release(): void }> {
  for (let tries = 1; ; tries++) {
    try {
      return lockHome(paths)
    } catch (error) {
      if (tries === LOCK_TRIES) throw error
      await sleep(LOCK_PAUSE_MS)
    }
  }
}

/** Reports that this daemon serves. The predecessor then drains. */
export async function reportServing(): Promise<void> {
  await becomeMainProcess()
  sendToPredecessor({ type: 'serving' })
}

export function reportFailure(error: Record<string, unknown>): void {
  sendToPredecessor({ type: 'failed', error })
}

function sendToPredecessor(message: FromSuccessor): void {
  if (process.connected) process.send!(message, undefined, undefined, () => {}) // the predecessor may have exited
}

/**
 * Makes this the main process of the systemd service, which would otherwise stop with the old process (`NotifyAccess=all` in
 * the unit).
 */
async function becomeMainProcess(): Promise<void> {
  if (!process.env.NOTIFY_SOCKET) return
  await promisify(execFile)('systemd-notify', [`--pid=${process.pid}`, '--ready']).catch(() => {})
}
