import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { HomeBackups } from '../../../src/daemon/backup/home-backups.ts'
import type { DaemonConfig } from '../../../src/daemon/daemon-config.ts'
import { type HomePaths, homePaths } from '../../../src/shared/paths.ts'
import { tarGz } from '../../helpers/archives.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { fixtureProgram } from '../../helpers/vitest/fixture-programs.ts'
import { buildServer, deploy, echoServer } from '../http/fixtures.ts'

const TOOL = fileURLToPath(new URL('../../../dist/database.js', import.meta.url))
const instanceProgram = fixtureProgram('instance')

// biome-ignore lint/suspicious/noExplicitAny: tests look into any answer
export type Answer = Record<string, any>

/** Home of a stopped daemon with a deployed server, a variable and an uploaded source. Each test uses a copy. */
export class UsedHome {
  /** The copy of the current test. */
  home!: HomePaths
  #original!: string

  async create(): Promise<void> {
    const daemon = await startTestDaemon({ instanceProgram })
    const mcpId = await buildServer(daemon, echoServer('sealed', { env: ['TOKEN'] }))
    await deploy(daemon, mcpId, 'production', { env_vars: { TOKEN: 'x' } })
    const { body: project } = await daemon.api('POST', '/api/projects', { body: { name: 'app' } })
    await daemon.api('PUT', `/api/projects/${project.id}/source`, {
      body: tarGz([{ name: 'README.md', content: 'an app' }]),
      headers: { 'content-type': 'application/gzip' },
    })
    writeFileSync(daemon.home.config, '{"contexts":{}}')
    await daemon.daemon.close()
    this.#original = daemon.home.home
  }

  copy(): void {
    this.home = homePaths({ MCP_HOME: mkdtempSync(join(tmpdir(), 'mcp-backup-')) })
    cpSync(this.#original, this.home.home, { recursive: true })
  }

  discardCopy(): void {
    rmSync(this.home.home, { recursive: true })
  }

  remove(): void {
    rmSync(this.#original, { recursive: true })
  }

  /** Runs `work` while a daemon uses the home. */
  async withDaemon<T>(
    work: (daemon: TestDaemon) => Promise<T>,
    changes: Partial<DaemonConfig> = {},
  ): Promise<T> {
    const daemon = await startTestDaemon({ instanceProgram, home: this.home, ...changes })
    try {
      return await work(daemon)
    } finally {
      await daemon.close()
    }
  }

  /** Runs backups in this process, because that is faster than running the tool. */
  backups(): HomeBackups {
    return new HomeBackups(this.home, async () => undefined)
  }

  backup() {
    return this.backups().make('manual')
  }

  /** Runs the tool as the command line does. Rejects with the error that the tool printed. */
  async tool(args: string[], env: NodeJS.ProcessEnv = {}, flags: string[] = []): Promise<Answer> {
    const all = { ...process.env, MCP_HOME: this.home.home, ...env }
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [...flags, TOOL, ...args], { env: all })
      return JSON.parse(stdout)
    } catch (error) {
      const { stderr = '', signal } = error as { stderr?: string; signal?: string }
      if (signal) throw new Error(`was killed by ${signal}`)
      throw Object.assign(new Error(stderr), JSON.parse(stderr.trim().split('\n').at(-1)!).error)
    }
  }

  /** Creates another home, empty except for an optional copy of the secret key. Returns its environment. */
  newHome({ withKey = true } = {}): NodeJS.ProcessEnv {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-other-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    if (withKey) cpSync(this.home.secretKey, homePaths({ MCP_HOME: folder }).secretKey)
    return { MCP_HOME: folder }
  }

  /** Removes the database, then starts a daemon with a new one and stops it. */
  async makeNewDatabase(): Promise<void> {
    for (const ending of ['', '-wal', '-shm']) rmSync(this.home.database + ending, { force: true })
    await this.withDaemon(async () => {}, { newDatabase: true })
  }
}

export async function buildNames(daemon: TestDaemon): Promise<string[]> {
  const { items } = (await daemon.api('GET', '/v1/build')).body.data
  return items.map(({ name }: Answer) => name).sort()
}

/** Replaces a file in a backup. Writing in place could also change a file in the home that is a hard link to it. */
export function rewrite(file: string, content: string): void {
  rmSync(file)
  writeFileSync(file, content)
}
