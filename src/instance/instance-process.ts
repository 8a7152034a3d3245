import type { Socket } from 'node:net'
import type { FromInstance, ToInstance } from '../shared/instance-protocol.ts'
import { Host, type Prepare } from './host.ts'

/** Makes this process an instance: it serves what the daemon tells it over IPC until that ends. */
export function runInstance(prepare: Prepare): void {
  const host = new Host(prepare, send)
  const exit = async () => {
    await host.close()
    process.exit(0)
  }
  process.on('message', (message: ToInstance, socket: Socket | undefined) => {
    if (message.type === 'shutdown') void exit()
    else obey(host, message, socket)
  })
  // An instance never outlives its daemon, and has nothing to do without one.
  process.on('disconnect', exit)
  process.on('SIGTERM', exit)
  // Ctrl-C reaches the whole process group; the daemon decides when its instances end.
  process.on('SIGINT', () => {})
  if (process.connected) send({ type: 'ready' })
  else void exit()
}

function obey(
  host: Host,
  message: Exclude<ToInstance, { type: 'shutdown' }>,
  socket: Socket | undefined,
): void {
  switch (message.type) {
    case 'serve':
      return host.serve(message)
    case 'connection':
      return host.connect(message, socket)
    case 'lend':
      return host.borrow(message, socket)
    case 'give-back':
      return host.giveBack(message)
    case 'drain':
      return host.drain(message)
    case 'retire':
      return void host.retire(message)
    case 'hold-log':
      return void host.holdLog(message)
    case 'resume-log':
      return host.resumeLog(message)
  }
}

function send(message: FromInstance, handle?: unknown): void {
  // The callback takes a failure: the channel may close at any time, which 'disconnect' tells.
  if (process.connected) process.send!(message, handle as Socket | undefined, undefined, () => {})
}
