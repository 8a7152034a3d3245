import { setFlagsFromString } from 'node:v8'

// Captured at start because user code gets other functions (src/instance/isolation).
const setFlags = setFlagsFromString

/**
 * Sets V8 flags for a long-running process. Must be called after Node's own modules are loaded, because V8 accepts their cached
 * code only under the flags it was compiled with, and without the cache a start takes 50% longer
 * (https://nodejs.org/api/v8.html#v8setflagsfromstringflags; V8, `FlagList::Hash`).
 *
 * The young generation grows to its limit in one step. Doubling it step by step takes an hour of light load, which looks like a
 * leak.
 *
 * Allocation-site pretenuring is off. In a burst, objects of requests that wait for a program look long-lived, so V8 would
 * allocate them in the old generation, where each dead one keeps its request alive until the next full collection. A third of all
 * requests were copied twice, which took up to a third of the bridge's processor time (V8, `PretenuringHandler`).
 */
export function tuneMemory(): void {
  setFlags('--semi-space-growth-factor=8')
  setFlags('--no-allocation-site-pretenuring')
}
