import type { ChildProcess } from 'node:child_process'
import type { FromInstance } from '../../../shared/instances/instance-protocol.ts'
import type { ChannelLimits } from '../../engine/channel-limits.ts'
import { guardChannel } from '../../engine/guarded-channel.ts'
import type { HandleSender } from '../../engine/handle-sender.ts'
import { parseInstanceMessages } from './instance-message.ts'

export interface Incoming {
  /** Whether a handle is expected with these messages. An unexpected handle is closed and counts as a violation. */
  takesHandle(messages: FromInstance[]): boolean
  handles: HandleSender
  limits(): ChannelLimits
  onMessage(message: FromInstance, handle: unknown): void
  /** The process must be killed. `what` completes a sentence about it. */
  onViolation(what: string): void
}

/** Receives messages from a process that may run user code. Reports malformed messages and unexpected handles as violations. */
export function receiveMessages(
  child: ChildProcess,
  { takesHandle, handles, limits, onMessage, onViolation }: Incoming,
): void {
  guardChannel(child, onViolation, handles, limits)
  child.on('message', (input, handle) => {
    const messages = parseInstanceMessages(input)
    if (handle && !(messages && takesHandle(messages))) {
      closeHandle(handle)
      return onViolation('sent the daemon an unexpected handle')
    }
    if (!messages) return onViolation('sent the daemon a malformed message')
    for (const message of messages) onMessage(message, handle)
  })
}

/** Closes a socket, a server or the native handle of either. An open one would cost the daemon a descriptor. */
function closeHandle(handle: object): void {
  if ('destroy' in handle && typeof handle.destroy === 'function') handle.destroy()
  else if ('close' in handle && typeof handle.close === 'function') handle.close()
}
