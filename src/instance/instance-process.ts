import type { Socket } from 'node:net'
import type { FromInstance, Several, Tenant, ToInstance } from '../shared/instance-protocol.ts'
import { type Describe, Host, type Prepare } from './host.ts'
import { type ChannelListener, openChannel } from './isolation/channel-seal.ts'
import { apply } from './isolation/intrinsics.ts'
import { Outbox } from './outbox.ts'
import { hasOwnNetwork, openEgressListener } from './own-network.ts'

type SendNow = (message: FromInstance | Several, handle?: unknown, onSent?: () => void) => void
type Obeyed = Exclude<ToInstance, { type: 'shutdown' | 'ping' }>

/** Makes this process an instance: it serves what the daemon tells it over IPC until that ends. */
export function runInstance(prepare: Prepare, describe: Describe): void {
  // Kept from the start: user code is left other ones (src/instance/isolation).
  const channel = openChannel()
  const { reallyExit } = process as unknown as { reallyExit(code: number): never }
  const sendNow: SendNow = (message, handle, onSent = () => {}) => {
    // The callback takes a failure: the channel may close at any time, which 'disconnect' tells.
    if (channel.isConnected()) channel.send(message, handle as Socket | undefined, undefined, onSent)
  }
  const outbox = new Outbox(sendNow)
  const isSealed = process.permission !== undefined
  const send = (message: FromInstance, handle?: unknown) =>
    isSealed ? sendNow(message, handle) : outbox.send(message, handle)
  const host = new Host(prepare, send)
  const exit = async () => {
    await host.close()
    outbox.flush()
    process.emit('exit', 0)
    apply(reallyExit, process, [0])
  }
  const onMessage = (message: ToInstance, socket: Socket | undefined) => {
    if (message.type === 'shutdown') return void exit()
    if (message.type === 'ping') return send({ type: 'alive' })
    const act = () => obey(host, describe, message, socket)
    if (!bringsCode(message)) return act()
    void import('./isolation/lock-down.ts').then(({ lockDown }) => {
      const problem = lockDown(message.tenant, {
        onMessage: onMessage as ChannelListener['onMessage'],
        onEnd: exit,
      })
      if (problem === undefined) act()
      else sendNow({ type: 'failed', tenantId: message.tenant.id, message: problem }, undefined, exit)
    })
  }
  process.on('message', onMessage)
  // An instance never outlives its daemon, and has nothing to do without one.
  process.on('disconnect', exit)
  process.on('SIGTERM', exit)
  // Ctrl-C reaches the whole process group; the daemon decides when its instances end.
  process.on('SIGINT', () => {})
  if (!channel.isConnected()) void exit()
  else if (hasOwnNetwork) void sendEgressListener(sendNow, exit)
  else send({ type: 'ready' })
}

/** A process that cannot have the listener ends: it would run without a network, and say nothing of it. */
async function sendEgressListener(send: SendNow, exit: () => void): Promise<void> {
  try {
    const { handle, close } = await openEgressListener()
    send({ type: 'ready', egress: true }, handle, close)
  } catch (error) {
    console.error(`The egress listener could not be opened: ${(error as Error).message}`)
    exit()
  }
}

/** Handler modules run inside this process: before the first one is loaded, it is locked down. Without that, none runs. */
function bringsCode(message: Obeyed): message is Extract<Obeyed, { tenant: Tenant }> {
  if (!('artifact' in message) || message.artifact.program?.type !== 'module') return false
  return !message.tenant.container && !message.tenant.asleep
}

function obey(host: Host, describe: Describe, message: Obeyed, socket: Socket | undefined): void {
  switch (message.type) {
    case 'describe':
      return void host.describe(describe, message)
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
    case 'keep':
      return void host.keep(message)
    case 'earlier':
      return host.learnEarlier(message)
    case 'shed':
      return host.shed(message)
    case 'retire':
      return void host.retire(message)
    case 'hold-log':
      return void host.holdLog(message)
    case 'woken':
      return host.hearWoken(message)
    case 'resume-log':
      return host.resumeLog(message)
    case 'announced':
      return host.hearAnnounced(message)
    case 'revoked':
      return host.hearRevoked(message)
    case 'claimed':
      return host.hearClaimed(message)
    case 'peer-port':
      return host.peerGate.hearPort(message, socket)
    case 'peer-reached':
      return host.peerGate.hearReached(message, socket)
  }
}
