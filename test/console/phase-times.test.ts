import { expect, test } from 'vitest'
import { phaseTimes } from '../../src/console/views/builds/phase-times.ts'
import type { ContainerBuildRecord } from '../../src/shared/contract/builds/container-builds.ts'

const at = (second: number) => `2026-11-23T08:00:0${second}.000Z`

function build(fields: Partial<ContainerBuildRecord>): ContainerBuildRecord {
  return {
    id: 'bld_1',
    projectId: 'prj_1',
    cloudBuildId: 'local:bld_1',
    status: 'in_progress',
    storageSourceLocation: '',
    imageRepository: '',
    imageUri: '',
    logGroupName: '',
    logStreamName: '',
    currentPhase: 'BUILD',
    errorMessage: '',
    startTime: at(1),
    endTime: '',
    createdAt: at(0),
    updatedAt: at(0),
    imageDigest: '',
    mcpId: '',
    ...fields,
  }
}

const starts = new Map([
  ['QUEUED', at(1)],
  ['DOWNLOAD_SOURCE', at(2)],
  ['INSTALL', at(3)],
  ['BUILD', at(4)],
])

test('a phase ends when the next one starts', () => {
  const times = phaseTimes(build({}), starts)
  expect(times.map(({ phase, state, from, to }) => [phase, state, from, to])).toEqual([
    ['QUEUED', 'done', at(0), at(1)],
    ['DOWNLOAD_SOURCE', 'done', at(1), at(3)],
    ['INSTALL', 'done', at(3), at(4)],
    ['BUILD', 'running', at(4), ''],
    ['IMAGE', 'waiting', '', ''],
    ['PUSH', 'waiting', '', ''],
  ])
})

test('a build fails in the last phase that it has entered', () => {
  const times = phaseTimes(build({ status: 'failed', endTime: at(5) }), starts)
  expect(times.slice(3).map(({ state, to }) => [state, to])).toEqual([
    ['failed', at(5)],
    ['not reached', ''],
    ['not reached', ''],
  ])
})

test('a build that was stopped in the queue shows its first phase as stopped', () => {
  const times = phaseTimes(build({ status: 'stopped', startTime: '', endTime: at(1) }), new Map())
  expect(times[0]).toEqual({ phase: 'QUEUED', state: 'stopped', from: at(0), to: at(1) })
})

test('a successful build without a push has no push phase', () => {
  const image = new Map([...starts, ['IMAGE', at(5)]])
  const times = phaseTimes(build({ status: 'succeeded', endTime: at(6) }), image)
  expect(times.map(({ phase }) => phase)).toEqual(['QUEUED', 'DOWNLOAD_SOURCE', 'INSTALL', 'BUILD', 'IMAGE'])
  expect(times.at(-1)).toMatchObject({ state: 'done', to: at(6) })
})
