import { preload } from './handlers/load.ts'
import { runInstance } from './instance-process.ts'
import { prepareServer } from './prepare-server.ts'

/** A spare of the warm pool has time to get ready for its first call; a process that is wanted at once has not. */
const PRELOAD_AFTER_MS = 100

runInstance(prepareServer)
// What cannot be loaded now will not load at the first call either, and is told there.
setTimeout(() => preload().catch(() => {}), PRELOAD_AFTER_MS).unref()
