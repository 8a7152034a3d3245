import type { ChildProcess } from 'node:child_process'
import type { FromInstance } from '../../shared/instance-protocol.ts'
import type { ChannelLimits } from '../engine/channel-limits.ts'
import { guardChannel } from '../engine/guarded-channel.ts'
import type { HandleSender } from '../engine/handle-sender.ts'
import { parseInstanceMessages } from './instance-message.ts'

export interface Incoming {
  /** Whether a handle is expected with these messages. Any other one is closed, and counts as a violation. */
  takesHandle(messages: FromInstance[]): boolean
  /** What is sent to it. */
  handles: HandleSender
  /** What it may send at this moment. */
  limits(): ChannelLimits
  onMessage(message: FromInstance, handle: unknown): void
  /** Called with the rest of a sentence about the process, which has to be ended. */
  onViolation(what: string): void
}

/** Hears a process that may run user code: only what has the shape of a message gets through. */
export function hear(
  child: ChildProcess,
  { takesHandle, handles, limits, onMessage, onViolation }: Incoming,
): void {
  guardChannel(child, onViolation, handles, limits)
  child.on('message', (input, handle) => {
    const messages = parseInstanceMessages(input)
    if (handle && !(messages && takesHandle(messages))) {
      closeHandle(handle)
      return onViolation('sent the daemon a handle')
    }
    if (!messages) return onViolation('sent the daemon what is no message')
    for (const message of messages) onMessage(message, handle)
  })
}

/** A socket, a server or the native handle of either: kept open, each would cost the daemon a descriptor. */
function closeHandle(handle: object): void {
  if ('destroy' in handle && typeof handle.destroy === 'function') handle.destroy()
  else if ('close' in handle && typeof handle.close === 'function') handle.close()
}
