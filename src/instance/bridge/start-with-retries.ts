import { ChildStartError } from './child-start-error.ts'

/** Tries before the deployment is given up; a slot pauses between them. */
const TRIES = 3

/** Rejects with the last try's error, after writing what the program said where the daemon looks for reasons. */
export async function startWithRetries(start: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await start()
    } catch (error) {
      if (error instanceof ChildStartError && tries < TRIES) continue
      if (error instanceof ChildStartError) for (const line of error.output) process.stderr.write(`${line}\n`)
      throw error
    }
  }
}
