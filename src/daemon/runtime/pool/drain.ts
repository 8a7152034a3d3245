import type { Socket } from 'node:net'
import type { DrainNotice } from '../process/host.ts'
import type { NamedRequest } from '../process/named-request.ts'
import type { Instance } from './instance.ts'

/** Without a `notice`, no other deployment takes over the address. */
export interface DrainOptions {
  notice?: DrainNotice
  /** Maximum time that sessions keep their instance running. */
  maxSessionMs?: number
  /** Collects one promise per instance, which resolves when the instance has begun to drain. */
  begun?: Promise<void>[]
  /** Takes connections that arrive during the drain, if another deployment has the address. */
  forward?(socket: Socket, named: NamedRequest | undefined): void
}

/** An instance that has not answered `keepSessions` probably hangs, so the wait for it is short. */
const UNRESPONSIVE_MS = 300

/** Lets the instance finish for at most `drainMs`, or, while it has sessions, for about `maxSessionMs`. */
export async function drainInstance(
  instance: Instance,
  drainMs: number,
  { notice, maxSessionMs = 0, begun }: DrainOptions,
): Promise<void> {
  const { host, tenantId } = instance.place
  const draining = host.drain(tenantId, notice)
  begun?.push(instance.isUnresponsive ? atMost(draining.begun, UNRESPONSIVE_MS) : draining.begun)
  const until = Date.now() + maxSessionMs
  while (!(await settlesWithin(draining.ended, drainMs)) && instance.sessions > 0 && Date.now() < until);
}

function atMost(promise: Promise<void>, limitMs: number): Promise<void> {
  return Promise.race([promise, new Promise<void>(resolve => void setTimeout(resolve, limitMs).unref())])
}

async function settlesWithin(promise: Promise<void>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<boolean>(resolve => {
    timer = setTimeout(resolve, limitMs, false)
  })
  const isSettled = await Promise.race([promise.then(() => true), limit])
  clearTimeout(timer)
  return isSettled
}
