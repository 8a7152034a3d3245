import type { Socket } from 'node:net'
import type {
  FromInstance,
  MessageBatch,
  Tenant,
  ToInstance,
} from '../../shared/instances/instance-protocol.ts'
import { type ChannelListener, openChannel } from '../isolation/channel-seal.ts'
import { apply } from '../isolation/intrinsics.ts'
import { hasNetworkNamespace, openEgressListener } from '../network/network-namespace.ts'
import { type Describe, Host, type Prepare } from './host.ts'
import { Outbox } from './outbox.ts'

type SendNow = (message: FromInstance | MessageBatch, handle?: unknown, onSent?: () => void) => void
type HostMessage = Exclude<ToInstance, { type: 'shutdown' | 'ping' | 'warm-up' }>

/** Turns this process into an instance that executes the daemon's commands over IPC until the channel closes. */
export function runInstance(prepare: Prepare, describe: Describe, warmUp: () => void): void {
  // Captured at start because user code gets other functions (src/instance/isolation).
  const channel = openChannel()
  const { reallyExit } = process as unknown as { reallyExit(code: number): never }
  const sendNow: SendNow = (message, handle, onSent = () => {}) => {
    // The callback swallows failures, because the channel may close at any time, which 'disconnect' reports.
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
    if (message.type === 'warm-up') return warmUp()
    const act = () => handleMessage(host, describe, message, socket)
    if (!hasCode(message)) return act()
    void import('../isolation/lock-down.ts').then(({ lockDown }) => {
      const problem = lockDown(message.tenant, {
        onMessage: onMessage as ChannelListener['onMessage'],
        onEnd: exit,
      })
      if (problem === undefined) act()
      else sendNow({ type: 'failed', tenantId: message.tenant.id, message: problem }, undefined, exit)
    })
  }
  process.on('message', onMessage)
  // An instance never outlives its daemon.
  process.on('disconnect', exit)
  process.on('SIGTERM', exit)
  // Ctrl-C reaches the whole process group. The daemon decides when its instances stop.
  process.on('SIGINT', () => {})
  if (!channel.isConnected()) void exit()
  else if (hasNetworkNamespace) void sendEgressListener(sendNow, exit)
  else send({ type: 'ready' })
}

/**
 * Exits when the listener cannot be opened, because the process would otherwise run without a network and without giving a
 * reason.
 */
async function sendEgressListener(send: SendNow, exit: () => void): Promise<void> {
  try {
    const { handle, close } = await openEgressListener()
    send({ type: 'ready', egress: true }, handle, close)
  } catch (error) {
    console.error(`The egress listener could not be opened: ${(error as Error).message}`)
    exit()
  }
}

/** True for messages that carry handler modules. The process must be locked down before it loads the first module. */
function hasCode(message: HostMessage): message is Extract<HostMessage, { tenant: Tenant }> {
  if (!('artifact' in message) || message.artifact.program?.type !== 'module') return false
  return !message.tenant.container && !message.tenant.asleep
}

type MessageHandler<Type extends HostMessage['type']> = (
  host: Host,
  message: Extract<HostMessage, { type: Type }>,
  socket: Socket | undefined,
) => unknown

const MESSAGE_HANDLERS: { [Type in Exclude<HostMessage['type'], 'describe'>]: MessageHandler<Type> } = {
  serve: (host, message) => host.serve(message),
  connection: (host, message, socket) => host.connect(message, socket),
  lease: (host, message, socket) => host.leaseSocket(message, socket),
  'give-back': (host, message) => host.returnSocket(message),
  drain: (host, message) => host.drain(message),
  keep: (host, message) => host.keep(message),
  earlier: (host, message) => host.setEarlierVersions(message),
  shed: (host, message) => host.shed(message),
  retire: (host, message) => host.retire(message),
  'hold-log': (host, message) => host.holdLog(message),
  'resume-log': (host, message) => host.resumeLog(message),
  woken: (host, message) => host.confirmWakeUp(message),
  announced: (host, message) => host.receiveAnnouncement(message),
  revoked: (host, message) => host.revokeTokens(message),
  'list-sessions': (host, message) => host.listSessions(message),
  'end-sessions': (host, message) => host.endSessions(message),
  claimed: (host, message) => host.receiveOwner(message),
  stored: (host, message) => host.receiveStored(message),
  'peer-port': (host, message, socket) => host.peerConnector.onPort(message, socket),
  'peer-reached': (host, message, socket) => host.peerConnector.onConnection(message, socket),
}

function handleMessage(
  host: Host,
  describe: Describe,
  message: HostMessage,
  socket: Socket | undefined,
): void {
  if (message.type === 'describe') void host.describe(describe, message)
  else
    (MESSAGE_HANDLERS[message.type] as MessageHandler<HostMessage['type']> | undefined)?.(
      host,
      message,
      socket,
    )
}
