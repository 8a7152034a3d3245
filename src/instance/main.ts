import { runInstance } from './host/instance-process.ts'
import { tuneMemory } from './host/tune-memory.ts'
import { exitOnInternalErrors } from './server/internal-error.ts'
import { describe, prepare } from './server/prepare.ts'

/** By then the parts of Node that a first call needs are loaded. */
const TUNE_AFTER_MS = 1000

exitOnInternalErrors()
// A log at its size limit loses lines instead of killing the process.
if (process.permission) process.on('SIGXFSZ', () => {})
// A load error will occur and be reported at the first call.
runInstance(prepare, describe, () => void warmUp().catch(() => {}))
setTimeout(tuneMemory, TUNE_AFTER_MS).unref()

async function warmUp(): Promise<void> {
  // Only processes for handler modules have it.
  if (process.permission) await import('./module/warm-up.ts').then(({ warmUpModules }) => warmUpModules())
  await import('./host/warm-up.ts').then(warmUps => warmUps.warmUp())
}
