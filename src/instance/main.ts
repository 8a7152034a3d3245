import { runInstance } from './host/instance-process.ts'
import { tuneMemory } from './host/tune-memory.ts'
import { exitOnInternalErrors } from './server/internal-error.ts'
import { describe, prepare } from './server/prepare.ts'

/** Delay before V8 is tuned. By then, the parts of Node that a first call needs have been loaded. */
const TUNE_AFTER_MS = 1000

exitOnInternalErrors()
// A log at its size limit loses lines instead of killing the process.
if (process.permission) process.on('SIGXFSZ', () => {})
// An error here will occur again in the first call, which reports it.
runInstance(prepare, describe, () => void warmUp().catch(() => {}))
setTimeout(tuneMemory, TUNE_AFTER_MS).unref()

async function warmUp(): Promise<void> {
  // Only processes for handler modules run under Node's permission model.
  if (process.permission) await import('./module/warm-up.ts').then(({ warmUpModules }) => warmUpModules())
  await import('./host/warm-up.ts').then(warmUps => warmUps.warmUp())
}
