import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An engine made of a shell script, for behaviour that no real engine shows on demand. */
export interface StubEngine extends Disposable {
  file: string
  env: NodeJS.ProcessEnv
  /** Arguments of each run. */
  calls(): string[]
}

export const PODMAN_INFO = JSON.stringify({
  host: { cgroupControllers: ['cpu', 'memory', 'pids'], security: { rootless: true } },
  version: { Version: '5.0.0' },
})

/** An engine that works. The real podman takes 0.4 s of processor time to describe itself. */
export const workingEngine = () => stubEngine(`echo '${PODMAN_INFO}'`)

/** `script`: body of the shell script, in which `$1` is the engine's command. */
export function stubEngine(script: string, name: 'podman' | 'docker' = 'podman'): StubEngine {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-engine-'))
  mkdirSync(join(folder, 'bin'))
  const file = join(folder, 'bin', name)
  const log = join(folder, 'calls')
  writeFileSync(log, '')
  writeFileSync(file, `#!/bin/sh\necho "$*" >> '${log}'\n${script}\n`)
  chmodSync(file, 0o755)
  return {
    file,
    env: { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, HOME: folder, MCP_CONTAINER_ENGINE: file },
    calls: () => readFileSync(log, 'utf8').split('\n').filter(Boolean),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
