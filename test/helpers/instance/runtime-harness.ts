import { mkdtempSync, rmSync } from 'node:fs'
import { type Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Gateway } from '../../../src/daemon/gateway/gateway.ts'
import type { Served } from '../../../src/daemon/runtime/served.ts'
import { Supervisor, type SupervisorOptions } from '../../../src/daemon/runtime/supervisor.ts'
import type { LogLine } from '../../../src/shared/instances/log-line.ts'
import { createArtifact } from '../../fixtures/instance/artifact.ts'
import { createTenant } from '../../fixtures/instance/tenant.ts'
import type { Behaviour } from '../../fixtures/instance.ts'
import { fixtureProgram } from '../vitest/fixture-programs.ts'

export interface ServedBy {
  pid: number
  tenantId: string
  instanceId: string
  body: string
}

export interface Reply {
  status: number
  headers: NodeJS.Dict<string | string[]>
  text: string
}

/** A supervisor and a gateway with small instance programs, in a temporary folder. */
export class RuntimeHarness implements AsyncDisposable {
  readonly logsDir = mkdtempSync(join(tmpdir(), 'mcp-runtime-'))
  readonly failures: { id: string; error: Error }[] = []
  readonly events: { id: string; line: LogLine }[] = []
  readonly supervisor: Supervisor
  readonly gateway: Gateway
  readonly #waiting = new Set<() => void>()
  #accepted = 0

  constructor(options: Partial<SupervisorOptions> = {}) {
    this.supervisor = new Supervisor({
      instanceProgram: fixtureProgram('instance'),
      logsDir: this.logsDir,
      warmSpares: 0,
      onFailed: (id, error) => this.#record(() => this.failures.push({ id, error })),
      onEvent: (id, line) => this.#record(() => this.events.push({ id, line })),
      ...options,
    })
    this.gateway = new Gateway({
      connect: (id, socket) => {
        this.supervisor.connect(id, socket)
        this.#record(() => this.#accepted++)
      },
      shareSocket: (id, socket) => this.supervisor.shareSocket(id, socket),
    })
  }

  /** Adds a tenant and opens an address of the same name for it. Returns the URL. */
  async add(id: string, served: Partial<Served> & { behaviour?: Behaviour } = {}): Promise<string> {
    this.supervisor.add(describeServed(id, served))
    const port = await this.gateway.open(id)
    this.gateway.point(id, id)
    return `http://127.0.0.1:${port}`
  }

  /** Resolves when the condition holds. Checks after each event of the supervisor and every few ms. */
  async until(condition: () => boolean): Promise<void> {
    if (condition()) return
    await new Promise<void>(resolve => {
      const look = () => {
        if (!condition()) return
        clearInterval(timer)
        this.#waiting.delete(look)
        resolve()
      }
      const timer = setInterval(look, 5)
      this.#waiting.add(look)
    })
  }

  /** Number of connections that the gateway has accepted itself. */
  get acceptedByGateway(): number {
    return this.#accepted
  }

  /** Resolves when the gateway has accepted this number of connections. */
  accepted(count: number): Promise<void> {
    return this.until(() => this.#accepted >= count)
  }

  messages(id: string): string[] {
    return this.events.filter(event => event.id === id).map(({ line }) => line.message)
  }

  pids(id: string): number[] {
    return this.supervisor.report(id).instances.flatMap(({ pid }) => pid ?? [])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.closeAll()
    await this.supervisor.close()
    rmSync(this.logsDir, { recursive: true, force: true })
  }

  #record(add: () => void): void {
    add()
    for (const look of [...this.#waiting]) look()
  }
}

export function describeServed(
  id: string,
  { behaviour, ...served }: Partial<Served> & { behaviour?: Behaviour } = {},
): Served {
  return {
    id,
    serverName: id,
    loadTenant: () => createTenant(id),
    placement: 'dedicated',
    scaling: { min: 1, max: 1 },
    idleMs: null,
    loadArtifact: () => createArtifact({ server: { name: id, version: '1' }, data: { ...behaviour } }),
    ...served,
  }
}

/** Sends one POST, on a new connection unless an agent is given. */
export function post(url: string, body = 'hello', agent: Agent | false = false): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', chunk => {
        text += chunk
      })
      response.once('error', reject)
      response.once('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }))
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

export async function servedBy(url: string, agent?: Agent): Promise<ServedBy> {
  const { status, text } = await post(url, 'hello', agent ?? false)
  if (status !== 200) throw new Error(`HTTP ${status}: ${text}`)
  return JSON.parse(text)
}

/** Polls a condition that no event reports. */
export async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}
