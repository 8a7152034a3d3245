import { runInstance } from './host/instance-process.ts'
import { tuneMemory } from './host/tune-memory.ts'
import { exitOnInternalErrors } from './server/internal-error.ts'
import { describe, prepare } from './server/prepare.ts'

/** A spare process of the pool has time to warm up. A process that is needed immediately does not. */
const WARM_UP_AFTER_MS = 50
/** By then the parts of Node that a first call needs are loaded. */
const TUNE_AFTER_MS = 1000

let isWanted = false
process.once('message', () => {
  isWanted = true
})
exitOnInternalErrors()
// A log at its size limit loses lines instead of killing the process.
if (process.permission) process.on('SIGXFSZ', () => {})
runInstance(prepare, describe)
setTimeout(async () => {
  if (isWanted) return
  // A load error will occur and be reported at the first call.
  await getReady().catch(() => {})
}, WARM_UP_AFTER_MS).unref()
setTimeout(tuneMemory, TUNE_AFTER_MS).unref()

async function getReady(): Promise<void> {
  // Only processes for handler modules have it.
  if (process.permission) await import('./module/warm-up.ts').then(({ warmUpModules }) => warmUpModules())
  await import('./host/warm-up.ts').then(({ warmUp }) => warmUp())
}
