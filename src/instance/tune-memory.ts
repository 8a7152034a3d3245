import { setFlagsFromString } from 'node:v8'

// Kept from the start: user code is left other ones (src/instance/isolation).
const setFlags = setFlagsFromString

/**
 * Sets V8's flags for a process that serves for long, once Node's own modules are loaded: V8 takes their compiled code only
 * where its flags are those that it was made with, and without it a start takes half as long again
 * (https://nodejs.org/api/v8.html#v8setflagsfromstringflags; V8, `FlagList::Hash`).
 *
 * The young generation grows to its limit in one step: doubling it step by step takes V8 an hour of light load, which looks
 * like a leak.
 *
 * V8 allocates in the old generation what a place in the code made that lived long for a while. What belongs to a request
 * that waits for a program looks so to it in a burst, and then each such object, dead long since, keeps its request alive
 * until the next full collection: a third of all requests were copied twice, up to a third of the bridge's processor time
 * (V8, `PretenuringHandler`).
 */
export function tuneMemory(): void {
  setFlags('--semi-space-growth-factor=8')
  setFlags('--no-allocation-site-pretenuring')
}
