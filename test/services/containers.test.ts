import { expect, test } from 'vitest'
import { type Contained, checkEngine, provideContainer } from '../../src/daemon/services/containers.ts'
import type { Rooms } from '../../src/daemon/services/rooms.ts'
import type { Artifact } from '../../src/shared/artifact.ts'
import type { ContainerLimit } from '../../src/shared/container-engine.ts'
import { createArtifact } from '../fixtures/instance/artifact.ts'

const IMAGE = { type: 'image' as const, image: 'team/weather:1', path: '/mcp', id: 'sha256:old' }
const declared = createArtifact({})
const ofImage = createArtifact({ template: 'custom', program: IMAGE })

test('an image runs in a container without being told, and is shown', () => {
  expect(checkEngine(ofImage, {})).toEqual({ engine: 'container', image: 'team/weather:1' })
  expect(checkEngine(declared, { image: 'team/weather:2' })).toMatchObject({ engine: 'container' })
  expect(checkEngine(declared, {})).toEqual({})
  expect(checkEngine(undefined, { engine: 'container' })).toEqual({ engine: 'container' })
})

test('an image without a container, and limits of a process, are refused', () => {
  expect(() => checkEngine(ofImage, { engine: 'process' })).toThrow('runs in a container only')
  expect(() => checkEngine(declared, { limits: { pids: 9 } })).toThrow(
    'config.limits.cpus and config.limits.pids limit programs and containers only',
  )
  const program = { type: 'stdio' as const, command: 'node', args: [], path: '/mcp' }
  const limits = { cpus: 0.5, pids: 64 }
  expect(checkEngine(createArtifact({ template: 'custom', program }), { limits })).toEqual({ limits })
})

/** An engine whose images are `images`, by name and id. */
function provide(
  artifact: Artifact,
  {
    config,
    without = [],
    images = {},
  }: {
    config?: Contained['config']
    without?: ContainerLimit[]
    images?: Record<string, string>
  },
) {
  const warnings: string[] = []
  const containers = {
    env: {},
    require: async () => ({ name: 'podman', file: '/podman', withoutLimits: without }),
    labels: () => ({}),
    has: async (image: string) => Object.values(images).includes(image),
    pull: async (image: string) => images[image],
    provide: async () => {},
  }
  const images_ = {
    make: async () => ({ image: { descriptor: { digest: `sha256:${'a'.repeat(64)}` } }, name: 'weather:b' }),
  }
  const rooms = { containers, images: async () => images_ } as unknown as Rooms
  const contained = {
    build: { name: 'weather' },
    artifact,
    id: 'dep_1',
    warn: (text: string) => warnings.push(text),
  }
  const provided = provideContainer(rooms, {
    ...contained,
    ...(config && { config }),
  } as unknown as Contained)
  return { provided, warnings }
}

test('limits are 512 MB and 256 processes where nothing else is said', async () => {
  const { provided } = provide(declared, {})
  expect(await provided).toMatchObject({ isOwn: true, limits: { memoryMb: 512, pids: 256 } })
  const given = { memory_mb: 64, cpus: 0.5 }
  expect((await provide(declared, { config: { limits: given } }).provided).limits).toEqual({
    memoryMb: 64,
    cpus: 0.5,
    pids: 256,
  })
})

test('a default that the engine cannot hold is left out and told; one that was asked for is an error', async () => {
  const { provided, warnings } = provide(declared, { without: ['memory'] })
  expect((await provided).limits).toEqual({ pids: 256 })
  expect(warnings).toEqual([expect.stringContaining('podman cannot limit memory here')])
  const asked = provide(declared, { config: { limits: { cpus: 1 } }, without: ['cpu'] })
  await expect(asked.provided).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})

test('a version runs the image that it was built of, wherever the name leads now', async () => {
  const here = provide(ofImage, { images: { 'team/weather:1': 'sha256:new', other: 'sha256:old' } })
  expect(await here.provided).toMatchObject({ image: 'sha256:old', isOwn: false })
  const gone = provide(ofImage, { images: { 'team/weather:1': 'sha256:new' } })
  await expect(gone.provided).rejects.toMatchObject({ code: 'CONFLICT' })
})
