import type { BuildOptions, BuildResult } from 'esbuild'
import { isBuildFailure } from './bundle-errors.ts'

/** esbuild's process is stopped after this time without a build, because it uses tens of megabytes and starts quickly. */
const IDLE_MS = 60_000

/** Number of running builds. A build never finishes if esbuild's process, which all builds share, is stopped. */
let running = 0
let timer: NodeJS.Timeout | undefined
/** Number of esbuild processes that have exited. */
let exits = 0

/** Loads esbuild on the first build. Its process keeps running between builds, and is replaced when it dies. */
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

/**
 * Replaces esbuild's process and repeats the build after an unexpected error. esbuild does not notice that its process died,
 * and rejects all later builds.
 */
async function buildWith(esbuild: typeof import('esbuild'), options: BuildOptions): Promise<BuildResult> {
  const exitsBefore = exits
  try {
    return await esbuild.build(options)
  } catch (error) {
    if (isBuildFailure(error)) throw error
    if (exitsBefore === exits) {
      exits++
      await esbuild.stop()
    }
    return await esbuild.build(options)
  }
}
