import { runInstance } from './instance-process.ts'
import { endOnInternalErrors } from './internal-error.ts'
import { describe, prepare } from './prepare.ts'
import { tuneMemory } from './tune-memory.ts'

/** A spare of the warm pool has time to get ready for its first call; a process that is wanted at once has not. */
const WARM_UP_AFTER_MS = 50
/** All that a first call needs of Node is loaded. */
const TUNE_AFTER_MS = 1000

let isWanted = false
process.once('message', () => {
  isWanted = true
})
endOnInternalErrors()
// A log that may grow no more costs lines and not the process.
if (process.permission) process.on('SIGXFSZ', () => {})
runInstance(prepare, describe)
setTimeout(async () => {
  if (isWanted) return
  // What cannot be loaded now will not load at the first call either, and is told there.
  await getReady().catch(() => {})
}, WARM_UP_AFTER_MS).unref()
setTimeout(tuneMemory, TUNE_AFTER_MS).unref()

async function getReady(): Promise<void> {
  // Only a process for handler modules has it.
  if (process.permission) await import('./module/warm-up.ts').then(({ warmUpModules }) => warmUpModules())
  await import('./warm-up.ts').then(({ warmUp }) => warmUp())
}
