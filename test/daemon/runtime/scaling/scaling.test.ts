import { expect, test } from 'vitest'
import {
  desiredInstances,
  isLow,
  type Load,
  SCALE_DOWN_AFTER_MS,
  type ScalingState,
  TARGET_ACTIVE_REQUESTS,
  usefulLimits,
} from '../../../../src/daemon/runtime/scaling/scaling.ts'

const quiet: Load = { activeRequests: 0, busy: 0, waiting: 0 }
const two: ScalingState = {
  ...quiet,
  instances: 2,
  min: 1,
  max: 5,
  lowForMs: 0,
  unchangedForMs: 60_000,
  calmMs: SCALE_DOWN_AFTER_MS,
}

test('too many requests for two instances start as many instances as needed', () => {
  expect(desiredInstances({ ...two, activeRequests: 2 * TARGET_ACTIVE_REQUESTS + 1 })).toBe(3)
  expect(desiredInstances({ ...two, activeRequests: 4 * TARGET_ACTIVE_REQUESTS })).toBe(4)
})

test('a few requests that saturate the event loops start another instance', () => {
  expect(desiredInstances({ ...two, activeRequests: 3, busy: 1.5 })).toBe(2)
  expect(desiredInstances({ ...two, activeRequests: 3, busy: 1.9 })).toBe(3)
})

test('waiting requests start one instance, and another one only after a settling time', () => {
  expect(desiredInstances({ ...two, activeRequests: 20, waiting: 15 })).toBe(2)
  expect(desiredInstances({ ...two, activeRequests: 30, waiting: 25 })).toBe(3)
  expect(desiredInstances({ ...two, activeRequests: 30, waiting: 25, unchangedForMs: 1000 })).toBe(2)
})

test('at least one instance is kept when the minimum is 0', () => {
  expect(desiredInstances({ ...two, instances: 1, min: 0, lowForMs: 1e6 })).toBe(1)
})

test('an instance is stopped after a minute of low load', () => {
  expect(desiredInstances({ ...two, lowForMs: 59_000 })).toBe(2)
  expect(desiredInstances({ ...two, lowForMs: 60_000 })).toBe(1)
})

test('the load is low only if all measures are low', () => {
  expect(isLow(2, { ...quiet, activeRequests: 0.6 * TARGET_ACTIVE_REQUESTS })).toBe(true)
  expect(isLow(2, { ...quiet, activeRequests: 0.8 * TARGET_ACTIVE_REQUESTS })).toBe(false)
  expect(isLow(2, { ...quiet, busy: 0.6 })).toBe(false)
  expect(isLow(2, { ...quiet, waiting: 6 })).toBe(false)
})

test('the number of instances stays within its bounds under any load', () => {
  const random = createRandom(1)
  for (let i = 0; i < 20_000; i++) {
    const state = anyState(random)
    const desired = desiredInstances(state)
    expect(desired).toBeGreaterThanOrEqual(Math.max(1, state.min))
    expect(desired).toBeLessThanOrEqual(state.max)
    expect(Number.isInteger(desired)).toBe(true)
  }
})

test('a higher load of any kind never means fewer instances', () => {
  const random = createRandom(2)
  for (let i = 0; i < 20_000; i++) {
    const state = anyState(random)
    const more = {
      ...state,
      activeRequests: state.activeRequests + 100 * random(),
      busy: state.busy + random(),
      waiting: state.waiting + 20 * random(),
    }
    expect(desiredInstances(more)).toBeGreaterThanOrEqual(desiredInstances(state))
  }
})

test('a load that varies by a tenth stops no instance', () => {
  const random = createRandom(3)
  for (let i = 0; i < 300; i++) {
    const cores = 6 * random()
    const active = 250 * random()
    const changes = followed(60, instances => ({
      // Utilization cannot exceed one per instance.
      busy: Math.min(instances, cores * (0.9 + 0.2 * random())),
      activeRequests: active * (0.9 + 0.2 * random()),
      waiting: 0,
    }))
    const directions = changes.map((count, at) => Math.sign(count - (changes[at - 1] ?? 1)))
    expect(directions.filter(direction => direction < 0)).toEqual([])
  }
})

/** Number of instances after each change, with one check per second. */
function followed(minutes: number, loadOf: (instances: number) => Load): number[] {
  const changes: number[] = []
  let state: ScalingState = { ...two, instances: 1, max: 10 }
  for (let second = 0; second < minutes * 60; second++) {
    const load = loadOf(state.instances)
    const lowForMs = isLow(state.instances, load) ? state.lowForMs + 1000 : 0
    state = { ...state, ...load, lowForMs, unchangedForMs: state.unchangedForMs + 1000 }
    const desired = desiredInstances(state)
    if (desired === state.instances) continue
    changes.push(desired)
    state = { ...state, instances: desired, lowForMs: 0, unchangedForMs: 0 }
  }
  return changes
}

function anyState(random: () => number): ScalingState {
  const min = Math.floor(5 * random())
  const max = Math.max(1, min + Math.floor(10 * random()))
  return {
    instances: 1 + Math.floor(max * random()),
    min,
    max,
    activeRequests: 500 * random() ** 3,
    busy: 12 * random() ** 2,
    waiting: 100 * random() ** 3,
    lowForMs: random() < 0.5 ? 0 : 120_000 * random(),
    unchangedForMs: 10_000 * random(),
    calmMs: SCALE_DOWN_AFTER_MS,
  }
}

/** Deterministic random numbers (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

test('load starts no more instances than the machine has processors, unless the minimum is higher', () => {
  expect(usefulLimits({ min: 1, max: 10 }, 2)).toEqual({ min: 1, max: 2 })
  expect(usefulLimits({ min: 1, max: 3 }, 8)).toEqual({ min: 1, max: 3 })
  expect(usefulLimits({ min: 4, max: 10 }, 2)).toEqual({ min: 4, max: 4 })
})
