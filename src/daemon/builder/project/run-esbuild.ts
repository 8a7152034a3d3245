import type { BuildOptions, BuildResult } from 'esbuild'
import { isBuildFailure } from './bundle-errors.ts'

/** esbuild's own process ends after so long without a build: it holds tens of megabytes, and starts in a few milliseconds. */
const IDLE_MS = 60_000

/** In all of this process, as esbuild's is one for all: when it is stopped amid a build, that build never ends. */
let running = 0
let timer: NodeJS.Timeout | undefined
/** How many of its processes have died. */
let deaths = 0

/** esbuild, loaded with the first build, its process kept as long as builds follow each other, and replaced when it dies. */
export async function runEsbuild(options: BuildOptions, idleMs = IDLE_MS): Promise<BuildResult> {
  const esbuild = await import('esbuild')
  clearTimeout(timer)
  running++
  try {
    return await buildWith(esbuild, options)
  } finally {
    if (--running === 0) timer = setTimeout(() => void esbuild.stop(), idleMs).unref()
  }
}

/** A process that has died esbuild keeps, and refuses all that follows. */
async function buildWith(esbuild: typeof import('esbuild'), options: BuildOptions): Promise<BuildResult> {
  const deathsBefore = deaths
  try {
    return await esbuild.build(options)
  } catch (error) {
    if (isBuildFailure(error)) throw error
    if (deathsBefore === deaths) {
      deaths++
      await esbuild.stop()
    }
    return await esbuild.build(options)
  }
}
