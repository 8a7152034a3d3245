import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../../../shared/version.ts'
import { digestOf } from '../digest.ts'
import { BuildCache } from './build-cache.ts'
import { Dependencies } from './dependencies.ts'

/** Shared by all builds from source code. */
export type Toolchain = ReturnType<typeof createToolchain>

export interface ToolchainOptions {
  /** Folder of the cache. */
  directory: string
  /** File of `mcp-hosting/server`. */
  sdk: string
  closing: AbortSignal
}

/** Also removes temporary files left behind by a crash. */
export function createToolchain({ directory, sdk, closing }: ToolchainOptions) {
  const workFolder = join(directory, 'work')
  rmSync(workFolder, { recursive: true, force: true })
  return {
    /** Folder for sources that are unpacked during a build. */
    workFolder,
    dependencies: new Dependencies(join(directory, 'dependencies'), closing),
    cache: new BuildCache(
      join(directory, 'builds'),
      () => `${VERSION} ${digestOf(readFileSync(sdk, 'utf8'))}`,
    ),
    sdk,
  }
}
