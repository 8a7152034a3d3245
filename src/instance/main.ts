import { runInstance } from './instance-process.ts'
import { describe, prepare } from './prepare.ts'

/** A spare of the warm pool has time to get ready for its first call; a process that is wanted at once has not. */
const WARM_UP_AFTER_MS = 50

let isWanted = false
process.once('message', () => {
  isWanted = true
})
runInstance(prepare, describe)
setTimeout(async () => {
  if (isWanted) return
  // Only a process for handler modules has it.
  if (process.permission)
    await Promise.all([
      import('./isolation/lock-down.ts'),
      import('./module/prepare-module.ts'),
      import('./module/supervise.ts'),
    ])
  const { warmUp } = await import('./warm-up.ts')
  // What cannot be loaded now will not load at the first call either, and is told there.
  await warmUp().catch(() => {})
}, WARM_UP_AFTER_MS).unref()
