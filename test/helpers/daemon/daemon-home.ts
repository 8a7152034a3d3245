import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import manifest from '../../../package.json' with { type: 'json' }
import type { DaemonConfig } from '../../../src/daemon/daemon-config.ts'
import { writeDiscovery } from '../../../src/daemon/home/discovery.ts'
import { lockHome } from '../../../src/daemon/home/home-lock.ts'
import { type HomePaths, homePaths } from '../../../src/shared/paths.ts'
import { startTestDaemon } from './daemon.ts'
import { createHome, type TestHome } from './mcp.ts'

/** A home whose daemon runs in this process, with this process's environment. `mcp daemon stop` cannot stop it. */
export interface DaemonHome extends TestHome {
  /** Like `mcp daemon restart`. */
  restart(): Promise<void>
}

/** Starts a home for tests of commands. Starting its daemon takes a tenth of the processor time of a separate daemon process. */
export async function startHome(config: Partial<DaemonConfig> = {}): Promise<DaemonHome> {
  const home = createHome()
  // A killed command may still be writing.
  const removeHome = () => rmSync(home.dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  const daemon = await serveHome(homePaths(home.env), config).catch(error => {
    removeHome()
    throw error
  })
  return {
    ...home,
    restart: daemon.restart,
    async remove() {
      await daemon.close()
      removeHome()
    },
  }
}

/** Starts a daemon in this process that the commands of a home find. */
export async function serveHome(paths: HomePaths, config: Partial<DaemonConfig> = {}) {
  // During a restart, a command waits instead of starting another daemon.
  const lock = lockHome(paths)
  const daemon = await startTestDaemon({ ...config, ...discoverable(paths) }).catch(error => {
    lock.release()
    throw error
  })
  return {
    restart: () => daemon.restart({ ...config, ...discoverable(paths) }),
    async close() {
      await daemon.close()
      lock.release()
    },
  }
}

/** Settings for one start of a daemon that commands find through the discovery file. */
function discoverable(home: HomePaths): Partial<DaemonConfig> {
  const nonce = randomUUID()
  const startedAt = new Date().toISOString()
  // A command would upgrade a daemon of another version.
  const { version } = manifest
  const onReady = (url: string) => writeDiscovery(home, { url, pid: process.pid, nonce, startedAt, version })
  return { home, nonce, startedAt, onReady }
}
