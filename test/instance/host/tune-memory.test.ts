import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { nodeFlags } from '../../../src/daemon/engine/process-engine.ts'

const TUNE = new URL('../../../src/instance/host/tune-memory.ts', import.meta.url).href

/** Slightly less than the 8 MB that `nodeFlags` allows. */
const LIMIT_BYTES = 7.5 * 2 ** 20
const isStep = (bytes: number) => bytes > 1.25 * 2 ** 20 && bytes < LIMIT_BYTES

test('the young generation grows to its limit in one step', () => {
  const untuned = sizesUnderLoad('')
  const tuned = sizesUnderLoad(`const { tuneMemory } = await import(${JSON.stringify(TUNE)}); tuneMemory()`)
  for (const sizes of [untuned, tuned]) expect(Math.max(...sizes)).toBeGreaterThanOrEqual(LIMIT_BYTES)
  expect(untuned.filter(isStep).length).toBeGreaterThanOrEqual(2)
  // The size before the call may still double once.
  expect(tuned.filter(isStep).length).toBeLessThanOrEqual(1)
})

/**
 * Capacities of the young generation in bytes, without repetitions, in chronological order. V8 14 commits pages one by one, so
 * the committed size does not show the steps in which the capacity grows.
 */
function sizesUnderLoad(before: string): number[] {
  const script = `
    const { getHeapSpaceStatistics } = await import('node:v8')
    ${before}
    const young = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    const size = () => Math.round((young().space_used_size + young().space_available_size) / 2 ** 18) * 2 ** 18
    const sizes = new Set([size()])
    for (let kept = [], i = 0; i < 2_000_000; i++) {
      if (kept.push({ i }) > 50_000) kept = []
      if (i % 1000 === 0) sizes.add(size())
    }
    console.log(JSON.stringify([...sizes]))`
  const flags = [...nodeFlags(256), '--input-type=module']
  return JSON.parse(execFileSync(process.execPath, [...flags, '-e', script], { encoding: 'utf8', env: {} }))
}
