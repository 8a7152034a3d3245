import { expect, test } from 'vitest'
import { Background } from '../../../../src/daemon/services/background.ts'
import { Previews } from '../../../../src/daemon/services/builds/previews.ts'
import type { ServiceDependencies } from '../../../../src/daemon/services/dependencies.ts'
import type { Server } from '../../../../src/daemon/store/tables/servers.ts'
import { HostingError } from '../../../../src/shared/errors.ts'

test('a preview that cannot open does not keep others from opening', async () => {
  const servers = ['first', 'broken', 'last'].map(name => ({ name, previewMcpId: name }) as Server)
  const errors: unknown[] = []
  const pointed: string[] = []
  const background = new Background(error => errors.push(error))
  let isPortConflict = true
  const deps = {
    background,
    store: {
      builds: { findNewestReady: (name: string) => ({ id: name, name, template: 'basic' }) },
      servers: { find: (name: string) => servers.find(server => server.name === name) },
    },
    supervisor: { has: () => true },
    addresses: {
      async open(name: string) {
        if (isPortConflict) throw new HostingError('CONFLICT', `The port of ${name} is held.`)
        if (name === 'broken') throw new HostingError('UNAVAILABLE', 'No file can be opened.')
      },
      point: (name: string) => pointed.push(name),
    },
  } as unknown as ServiceDependencies
  const previews = new Previews(deps)
  for (const server of servers) await previews.reopen(server)
  previews.reopenConflicting()
  await background.settle()
  expect(pointed).toEqual([])
  isPortConflict = false
  previews.reopenConflicting()
  await background.settle()
  expect(pointed).toEqual(['first', 'last'])
  expect(errors).toMatchObject([{ code: 'UNAVAILABLE' }])
})
