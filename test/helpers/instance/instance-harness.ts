import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { PeerPorts } from '../../../src/daemon/runtime/sessions/peer-ports.ts'
import { PeerRequests } from '../../../src/daemon/runtime/sessions/peer-requests.ts'
import type { Artifact } from '../../../src/shared/definitions/artifact.ts'
import type { FromInstance, Tenant, ToInstance } from '../../../src/shared/instances/instance-protocol.ts'
import { createTenant } from '../../fixtures/instance/tenant.ts'

const PROGRAM = fileURLToPath(new URL('../../../dist/instance.js', import.meta.url))

/** Shared by all processes of a test file, as a daemon's ports are shared by all of its processes. */
const PEER_PORTS = new PeerPorts()

type Message<Type extends FromInstance['type']> = Extract<FromInstance, { type: Type }>

export interface InstanceOptions {
  /** Program to run. `dist/instance.js` by default. */
  program?: string
  execArgv?: string[]
  env?: NodeJS.ProcessEnv
  tenant?: Partial<Tenant>
  /** Code of a module. */
  bundle?: string
}

/** An address on loopback whose connections are handed to one tenant of the process. */
export interface InstanceAddress {
  tenant: Tenant
  url: string
  origin: string
}

/**
 * A real instance process that serves artifacts. The harness does the daemon's part: it accepts every connection to an address
 * and hands it over.
 */
export class InstanceHarness {
  readonly child: ChildProcess
  readonly received: FromInstance[] = []
  output = ''
  readonly #listeners: Server[] = []
  readonly #peers = new PeerRequests({
    maxPorts: 10_000,
    ports: PEER_PORTS,
    send: (message, handle, then) =>
      void this.child.send(message, handle as unknown as Socket, { keepOpen: true }, () => then?.()),
  })
  #sequence = 0

  constructor(options: InstanceOptions = {}) {
    this.child = fork(options.program ?? PROGRAM, [], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: options.execArgv ?? [],
      env: options.env ?? {},
    })
    this.child.on('message', message => this.#receive(message as FromInstance))
    this.child.stdout!.on('data', chunk => (this.output += chunk))
    this.child.stderr!.on('data', chunk => (this.output += chunk))
    // A test may kill the process while connections are being sent to it.
    this.child.on('error', () => {})
  }

  get pid(): number {
    return this.child.pid!
  }

  /** Returns the first received message of a type. Waits for it if necessary. */
  async message<Type extends FromInstance['type']>(
    type: Type,
    matches: (message: Message<Type>) => boolean = () => true,
  ): Promise<Message<Type>> {
    const isWanted = (message: FromInstance): message is Message<Type> =>
      message.type === type && matches(message as Message<Type>)
    for (;;) {
      const found = this.received.find(isWanted)
      if (found) return found
      await once(this.child, 'message')
    }
  }

  send(message: ToInstance, socket?: Socket): void {
    this.child.send(message, socket, {}, () => {})
  }

  /** Answers like the daemon, except that every claim of a session is granted. */
  #receive(message: FromInstance): void {
    this.received.push(message)
    if (message.type === 'claim') this.send({ ...message, type: 'claimed' })
    if (message.type === 'open-peer-port') void this.#peers.openPort(message)
    if (message.type === 'reach-peer') void this.#peers.reach(message)
  }

  /** Serves the artifact at a new address. */
  async serve(artifact: Artifact, changes: Partial<Tenant> = {}, bundle?: string): Promise<InstanceAddress> {
    let tenant: Tenant | undefined
    const listener = createServer({ pauseOnConnect: true, noDelay: true }, socket => {
      // As in the daemon, keeps Node from tracking the sent connections.
      ;(socket as { server?: unknown }).server = undefined
      this.send({ type: 'connection', tenantId: tenant!.id, seq: ++this.#sequence }, socket)
    })
    this.#listeners.push(listener)
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as AddressInfo
    tenant = tenantAt(port, changes)
    this.send({
      type: 'serve',
      tenant,
      artifact,
      instanceId: `inst_${port}`,
      ...(bundle !== undefined && { bundle }),
    })
    const { id } = tenant
    const answer = await Promise.race([
      this.message('serving', message => message.tenantId === id),
      this.message('failed', message => message.tenantId === id),
      this.#ended(),
    ])
    if (answer?.type !== 'serving') throw new Error(`not served: ${answer?.message ?? this.output}`)
    const origin = `http://127.0.0.1:${port}`
    return { tenant, url: `${origin}/mcp`, origin }
  }

  /** Stops the process and closes the addresses. */
  async stop(): Promise<void> {
    for (const listener of this.#listeners) listener.close()
    const isRunning = this.child.exitCode === null && this.child.signalCode === null
    if (isRunning) {
      const exited = once(this.child, 'exit')
      if (this.child.connected) this.send({ type: 'shutdown' })
      else this.child.kill('SIGKILL')
      await exited
    }
  }

  async #ended(): Promise<undefined> {
    if (this.child.exitCode === null) await once(this.child, 'exit')
    return undefined
  }
}

/** Starts a process that serves one artifact. */
export async function startInstance(
  artifact: Artifact,
  options: InstanceOptions = {},
): Promise<{ harness: InstanceHarness; address: InstanceAddress }> {
  const harness = new InstanceHarness(options)
  try {
    return { harness, address: await harness.serve(artifact, options.tenant, options.bundle) }
  } catch (error) {
    await harness.stop()
    throw error
  }
}

export function tenantAt(port: number, changes: Partial<Tenant>): Tenant {
  return createTenant(`dep_${port}`, {
    serverName: 'test',
    url: `http://127.0.0.1:${port}/mcp`,
    allowedHosts: [`127.0.0.1:${port}`, `localhost:${port}`],
    stateKey: randomBytes(32).toString('base64'),
    ...changes,
  })
}
