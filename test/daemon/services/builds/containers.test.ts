import { expect, test } from 'vitest'
import {
  type ContainerRequest,
  prepareContainer,
  resolveEngine,
} from '../../../../src/daemon/services/builds/containers.ts'
import type { ServiceDependencies } from '../../../../src/daemon/services/dependencies.ts'
import type { ContainerLimit } from '../../../../src/shared/container-engine.ts'
import type { Artifact } from '../../../../src/shared/definitions/artifact.ts'
import { createArtifact } from '../../../fixtures/instance/artifact.ts'

const IMAGE = { type: 'image' as const, image: 'team/weather:1', path: '/mcp', id: 'sha256:old' }
const declared = createArtifact({})
const ofImage = createArtifact({ template: 'custom', program: IMAGE })

test('an image runs in a container by default, and the configuration shows it', () => {
  expect(resolveEngine(ofImage, {})).toEqual({ engine: 'container', image: 'team/weather:1' })
  expect(resolveEngine(declared, { image: 'team/weather:2' })).toMatchObject({ engine: 'container' })
  expect(resolveEngine(declared, {})).toEqual({})
  expect(resolveEngine(undefined, { engine: 'container' })).toEqual({ engine: 'container' })
})

test('rejects an image with the process engine, and processor or process limits for a declared server', () => {
  expect(() => resolveEngine(ofImage, { engine: 'process' })).toThrow('can only run in a container')
  expect(() => resolveEngine(declared, { limits: { pids: 9 } })).toThrow(
    'config.limits.cpus and config.limits.pids only apply to programs and containers',
  )
  const program = { type: 'stdio' as const, command: 'node', args: [], path: '/mcp' }
  const limits = { cpus: 0.5, pids: 64 }
  expect(resolveEngine(createArtifact({ template: 'custom', program }), { limits })).toEqual({ limits })
})

/** Prepares the container of an artifact. `images`: ids of the engine's images, by name. */
function provide(
  artifact: Artifact,
  {
    config,
    without = [],
    images = {},
  }: {
    config?: ContainerRequest['config']
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
    userOf: async () => 1000,
  }
  const images_ = {
    make: async () => ({ image: { descriptor: { digest: `sha256:${'a'.repeat(64)}` } }, name: 'weather:b' }),
  }
  const deps = { containers, images: async () => images_ } as unknown as ServiceDependencies
  const contained = {
    build: { name: 'weather' },
    artifact,
    id: 'dep_1',
    warn: (text: string) => warnings.push(text),
  }
  const provided = prepareContainer(deps, {
    ...contained,
    ...(config && { config }),
  } as unknown as ContainerRequest)
  return { provided, warnings }
}

test('container limits default to 512 MB and 256 processes', async () => {
  const { provided } = provide(declared, {})
  expect(await provided).toMatchObject({ isOwn: true, uid: 1000, limits: { memoryMb: 512, pids: 256 } })
  const given = { memory_mb: 64, cpus: 0.5 }
  expect((await provide(declared, { config: { limits: given } }).provided).limits).toEqual({
    memoryMb: 64,
    cpus: 0.5,
    pids: 256,
  })
})

test('leaves out a default limit that the engine cannot enforce, and rejects a requested one', async () => {
  const { provided, warnings } = provide(declared, { without: ['memory'] })
  expect((await provided).limits).toEqual({ pids: 256 })
  expect(warnings).toEqual([expect.stringContaining('podman cannot limit memory here')])
  const asked = provide(declared, { config: { limits: { cpus: 1 } }, without: ['cpu'] })
  await expect(asked.provided).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})

test('a version runs the image that it was built with, even if the name now refers to another', async () => {
  const here = provide(ofImage, { images: { 'team/weather:1': 'sha256:new', other: 'sha256:old' } })
  expect(await here.provided).toMatchObject({ image: 'sha256:old', isOwn: false })
  const gone = provide(ofImage, { images: { 'team/weather:1': 'sha256:new' } })
  await expect(gone.provided).rejects.toMatchObject({ code: 'CONFLICT' })
})
