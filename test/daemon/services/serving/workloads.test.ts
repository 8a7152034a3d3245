import { expect, test } from 'vitest'
import type { ServiceDependencies } from '../../../../src/daemon/services/dependencies.ts'
import { describePromises } from '../../../../src/daemon/services/deployments/environments.ts'
import { deploymentWorkload, placementOf } from '../../../../src/daemon/services/serving/workloads.ts'
import type { Build } from '../../../../src/daemon/store/tables/builds.ts'
import type { Deployment } from '../../../../src/daemon/store/tables/deployments.ts'
import { ENVIRONMENTS } from '../../../../src/shared/contract/states.ts'

const build = { id: 'mcp_a', name: 'promised', template: 'basic', env: [], digest: null } as unknown as Build

/** The part of the dependencies that a server without code and secrets uses. */
const dependenciesOf = (deployment: Deployment) =>
  ({
    store: {
      builds: { find: () => build },
      deployments: { find: () => deployment },
      endedSessions: { find: () => undefined },
    },
    clock: { wallTime: () => '2026-11-23T08:00:00.000Z' },
    secrets: { derive: () => '' },
    addresses: { find: (server: string, slot: string) => ({ server, slot, port: 20_000, subdomain: null }) },
  }) as unknown as ServiceDependencies

const deployed = (environment: Deployment['environment'], config: Deployment['config'] = {}) =>
  ({ id: 'dep_a', mcpId: build.id, name: build.name, environment, config, env: null }) as Deployment

test.each([
  ...ENVIRONMENTS.map(environment => deployed(environment)),
  deployed('production', { scaling: { min_instances: 0, max_instances: 4 }, log_level: 'debug' }),
])('the guarantees in the status of a deployment match its workload: %j', async deployment => {
  const served = await deploymentWorkload(dependenciesOf(deployment), deployment)
  const promises = describePromises(deployment, placementOf(build, deployment), false)
  const { idle_seconds: idle } = promises
  expect(served).toMatchObject({
    placement: promises.placement,
    idleMs: idle === null ? null : idle * 1000,
  })
  expect(served.loadTenant().logLevel).toBe(promises.log_level)
  if (promises.placement === 'dedicated')
    expect(served).toMatchObject({
      scaling: { min: promises.min_instances, max: promises.max_instances },
      memoryMb: promises.memory_mb,
    })
})
