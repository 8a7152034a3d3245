import { expect, test } from 'vitest'
import { Background } from '../../../../src/daemon/services/background.ts'
import type { Previews } from '../../../../src/daemon/services/builds/previews.ts'
import type { ServiceDependencies } from '../../../../src/daemon/services/dependencies.ts'
import type { Deployments } from '../../../../src/daemon/services/deployments/deployments.ts'
import { reconcile } from '../../../../src/daemon/services/serving/reconcile.ts'
import type { DeploymentState } from '../../../../src/shared/contract/states.ts'
import { HostingError } from '../../../../src/shared/errors.ts'

/** Start of a daemon while processes of a killed daemon still hold ports. */
class HeldStart {
  readonly log: string[] = []
  readonly released = Promise.withResolvers<void>()
  readonly background = new Background(() => {}) // ignores errors from the rest of the start
  readonly #states: Record<string, DeploymentState>

  constructor(names: string[]) {
    this.#states = Object.fromEntries(names.map(name => [name, 'deployed']))
  }

  async run(deployments: Partial<Deployments> = {}): Promise<void> {
    const none = () => []
    const open = async (name: string, _slot: string, { waits }: { waits: boolean }) => {
      if (!waits) throw new HostingError('CONFLICT', `The port of ${name} is held.`)
      await this.released.promise
      if (name.startsWith('held')) throw new HostingError('CONFLICT', `The port of ${name} is held.`)
    }
    const deps = {
      background: this.background,
      closing: new AbortController().signal,
      store: {
        transaction: (work: () => unknown) => work(),
        builds: { listByStatus: none, find: () => ({ template: 'basic' }) },
        deployments: {
          listByStatus: (status: string) => this.#all().filter(one => one.status === status),
          listActive: (name: string) =>
            this.#all().filter(one => one.name === name && one.status === 'deployed'),
          find: (id: string) => this.#all().find(one => one.id === id),
        },
        servers: { list: none },
      },
      supervisor: {
        has: (id: string) => this.log.includes(`serves ${id}`),
        add: ({ id }: { id: string }) => this.log.push(`serves ${id}`),
        start: async (id: string) => void this.log.push(`starts ${id}`),
      },
      addresses: {
        open,
        point: (name: string) => this.log.push(`leads to ${name}`),
        close: async (name: string) => void this.log.push(`closes ${name}`),
      },
    } as unknown as ServiceDependencies
    await reconcile({ deps, deployments: deployments as Deployments, previews: {} as Previews })
  }

  stop(name: string): void {
    this.#states[name] = 'stopped'
  }

  #all() {
    const rest = { environment: 'production', config: {}, env: null }
    return Object.entries(this.#states).map(([name, status]) => ({ ...rest, id: name, name, status }))
  }
}

test('a deployment stopped while its port is in use is not served when the port is free', async () => {
  const start = new HeldStart(['stopped', 'wanted'])
  await start.run()
  start.stop('stopped')
  start.released.resolve()
  await start.background.settle()
  const { log } = start
  expect(log.toSorted()).toEqual(['closes stopped', 'leads to wanted', 'serves wanted', 'starts wanted'])
})

test('a failure that cannot be stored does not keep other deployments from starting', async () => {
  const names = Array.from({ length: 64 }, (_, index) => `held-${index}`)
  const start = new HeldStart([...names, 'last'])
  await start.run({ fail: () => Promise.reject(new HostingError('UNAVAILABLE', 'The disk is full.')) })
  start.released.resolve()
  await start.background.settle()
  expect(start.log).toContain('starts last')
})
