import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../../../shared/version.ts'
import { digestOf } from '../digest.ts'
import { BuildMemory } from './build-memory.ts'
import { Dependencies } from './dependencies.ts'

/** What all builds of source code share. */
export interface Toolchain {
  /** Folder for what is unpacked while a build runs. */
  workFolder: string
  dependencies: Dependencies
  memory: BuildMemory
  /** File of `mcp-hosting/server`. */
  sdk: string
}

export interface ToolchainOptions {
  /** For what can be made again. */
  directory: string
  sdk: string
  closing: AbortSignal
}

/** Removes the work that a crash left. */
export function createToolchain({ directory, sdk, closing }: ToolchainOptions): Toolchain {
  const workFolder = join(directory, 'work')
  rmSync(workFolder, { recursive: true, force: true })
  return {
    workFolder,
    dependencies: new Dependencies(join(directory, 'dependencies'), closing),
    memory: new BuildMemory(
      join(directory, 'builds'),
      () => `${VERSION} ${digestOf(readFileSync(sdk, 'utf8'))}`,
    ),
    sdk,
  }
}
