import { expect, test } from 'vitest'
import { Background } from '../../src/daemon/services/background.ts'
import { Previews } from '../../src/daemon/services/previews.ts'
import type { Rooms } from '../../src/daemon/services/rooms.ts'
import type { Server } from '../../src/daemon/store/servers.ts'
import { HostingError } from '../../src/shared/errors.ts'

test('a preview that cannot be opened for another reason keeps none of the others from coming back', async () => {
  const servers = ['first', 'broken', 'last'].map(name => ({ name, previewMcpId: name }) as Server)
  const errors: unknown[] = []
  const pointed: string[] = []
  const background = new Background(error => errors.push(error))
  let isHeld = true
  const rooms = {
    background,
    store: {
      builds: { newestReady: (name: string) => ({ id: name, name, template: 'basic' }) },
      servers: { find: (name: string) => servers.find(server => server.name === name) },
    },
    supervisor: { has: () => true },
    addresses: {
      async open(name: string) {
        if (isHeld) throw new HostingError('CONFLICT', `The port of ${name} is held.`)
        if (name === 'broken') throw new HostingError('UNAVAILABLE', 'No file can be opened.')
      },
      point: (name: string) => pointed.push(name),
    },
  } as unknown as Rooms
  const previews = new Previews(rooms)
  for (const server of servers) await previews.reopen(server)
  previews.reopenHeld()
  await background.settle()
  expect(pointed).toEqual([])
  isHeld = false
  previews.reopenHeld()
  await background.settle()
  expect(pointed).toEqual(['first', 'last'])
  expect(errors).toMatchObject([{ code: 'UNAVAILABLE' }])
})
