import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  type ContainerEngine,
  engineEnvironment,
  type FoundEngine,
  findContainerEngine,
} from '../../shared/container-engine.ts'
import { HostingError } from '../../shared/errors.ts'
import { findImageUser } from './image-user.ts'

export interface ContainersOptions {
  /** Identifies the containers of this home. */
  home: string
  /** File that exists once containers have been used. Without it, a start does not look for leftover containers. */
  marker: string
  /** True while the previous daemon is still serving. That daemon removes its containers itself. */
  isSuccessor?: boolean
  env?: NodeJS.ProcessEnv
  /** Maximum wait for the engine at start, if containers were used before. Default: 30 s. */
  engineWaitMs?: number
}

/** Label of every container. Its value identifies the home. */
const HOME_LABEL = 'mcp-hosting.home'
/** The value of this label identifies the daemon that started the container. */
const DAEMON_LABEL = 'mcp-hosting.daemon'

const COMMAND_MS = 60_000
const PULL_MS = 600_000
const ENGINE_WAIT_MS = 30_000
const RETRY_MS = 500
const KEPT_CHARACTERS = 4000
const MAX_OUTPUT_CHARACTERS = 1024 * 1024

/** The container engine, its images, and the containers of one home. */
export class Containers {
  readonly #homeId: string
  readonly #daemonId = randomUUID()
  readonly #options: ContainersOptions
  readonly #env: NodeJS.ProcessEnv
  #found: Promise<FoundEngine> | undefined
  #swept: Promise<void> | undefined
  #isClosing = false
  readonly #providing = new Map<string, Promise<void>>()
  /** User ids by image and requested user. */
  readonly #users = new Map<string, Promise<number | undefined>>()

  constructor(options: ContainersOptions) {
    this.#options = options
    this.#env = options.env ?? process.env
    this.#homeId = createHash('sha256').update(options.home).digest('hex').slice(0, 16)
  }

  /** Environment for the engine's client, in this process and in the instances. */
  get env(): Record<string, string> {
    return engineEnvironment(this.#env)
  }

  /** `id`: deployment or build. */
  labels(server: string, id: string): Record<string, string> {
    return {
      [HOME_LABEL]: this.#homeId,
      [DAEMON_LABEL]: this.#daemonId,
      'mcp-hosting.server': server,
      'mcp-hosting.id': id,
    }
  }

  /** Removes containers left over from an earlier daemon of this home, if it used any. */
  async start(): Promise<void> {
    if (!existsSync(this.#options.marker)) return
    this.#found = this.#waitForEngine()
    await this.require()
  }

  /** Returns the engine once leftover containers are removed. Throws UNAVAILABLE when there is no usable engine. */
  async require(): Promise<ContainerEngine> {
    const engine = await this.#find()
    this.#swept ??= this.#sweep()
    await this.#swept
    return engine
  }

  async has(image: string): Promise<boolean> {
    return (await this.#inspect(image)) !== undefined
  }

  /** Returns the image's id, for example `sha256:…`. Pulls a missing image. Throws UPSTREAM_FAILED when that fails. */
  async pull(image: string): Promise<string> {
    const known = await this.#inspect(image)
    if (known !== undefined) return known
    const { code, errors } = await this.#run(['pull', '--quiet', image], { timeoutMs: PULL_MS })
    const id = code === 0 ? await this.#inspect(image) : undefined
    if (id !== undefined) return id
    throw new HostingError(
      'UPSTREAM_FAILED',
      `The image ${image} is not available locally and cannot be pulled.`,
      {
        details: errors || undefined,
        next: [{ description: 'List the local images', command: `${(await this.#find()).name} images` }],
      },
    )
  }

  /** User id that a local image runs as, see `findImageUser`. `image`: an id, or a name that always refers to the same image. */
  userOf(image: string, user?: string): Promise<number | undefined> {
    const key = `${image} ${user ?? ''}`
    const labels = { [HOME_LABEL]: this.#homeId, [DAEMON_LABEL]: this.#daemonId }
    const run = async (args: string[]) => {
      const { code, output } = await this.#run(args)
      return code === 0 ? output : undefined
    }
    const found = this.#users.get(key) ?? findImageUser(run, image, { user, labels })
    this.#users.set(key, found)
    return found
  }

  /** Loads a missing image. `archive` returns the image in the format of `docker save`. Throws UNAVAILABLE when that fails. */
  provide(image: string, archive: () => Readable): Promise<void> {
    const providing = this.#providing.get(image) ?? this.#provide(image, archive)
    this.#providing.set(image, providing)
    return providing.finally(() => this.#providing.delete(image))
  }

  async #provide(image: string, archive: () => Readable): Promise<void> {
    if (!(await this.has(image))) await this.#load(archive())
  }

  async #load(archive: Readable): Promise<void> {
    const { code, errors } = await this.#run(['load', '--quiet'], { timeoutMs: PULL_MS, input: archive })
    if (code === 0) return
    throw new HostingError(
      'UNAVAILABLE',
      `The image could not be loaded into ${(await this.#find()).name}.`,
      {
        details: errors || undefined,
      },
    )
  }

  /** Removes every container of this daemon. If the engine does not answer, the next start removes them. */
  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#swept) await this.#removeAll(`${DAEMON_LABEL}=${this.#daemonId}`).catch(() => {})
  }

  async #inspect(image: string): Promise<string | undefined> {
    const { code, output } = await this.#run(['image', 'inspect', '--format', '{{.Id}}', image])
    if (code !== 0) return undefined
    const id = output.trim()
    return id.includes(':') ? id : `sha256:${id}`
  }

  /** Waits for a usable engine, because its server may still be starting after a boot. */
  async #waitForEngine(): Promise<FoundEngine> {
    const deadline = performance.now() + (this.#options.engineWaitMs ?? ENGINE_WAIT_MS)
    for (;;) {
      const found = await findContainerEngine(this.#env)
      if (found.usable || this.#isClosing || performance.now() >= deadline) return found
      await new Promise(resolve => setTimeout(resolve, RETRY_MS))
    }
  }

  /** Remembers a usable engine. An unusable engine is checked again, because it may be installed later. */
  async #find(): Promise<ContainerEngine> {
    this.#found ??= findContainerEngine(this.#env)
    const found = await this.#found
    if (found.usable) return found.engine
    this.#found = undefined
    throw new HostingError(
      'UNAVAILABLE',
      `Containers cannot run on this machine: ${found.why}${/[.?!]$/.test(found.why) ? '' : '.'}`,
      {
        details:
          'Install podman or docker, or deploy without --image to run a process. "mcp doctor" shows which engine is used.',
        next: [{ description: 'See what is missing', command: 'mcp doctor' }],
      },
    )
  }

  async #sweep(): Promise<void> {
    const { marker, isSuccessor } = this.#options
    if (existsSync(marker)) return isSuccessor ? undefined : this.#removeAll(`${HOME_LABEL}=${this.#homeId}`)
    mkdirSync(dirname(marker), { recursive: true, mode: 0o700 })
    writeFileSync(marker, 'Containers were used: the next start looks for leftover containers.\n', {
      mode: 0o600,
    })
  }

  async #removeAll(label: string): Promise<void> {
    const filter = ['--filter', `label=${label}`]
    const { output } = await this.#run(['ps', '--all', '--quiet', ...filter])
    const ids = output.split('\n').filter(line => /^[\da-f]{12,64}$/.test(line))
    if (ids.length > 0) await this.#run(['rm', '--force', '--volumes', ...ids])
  }

  /** `errors`: truncated standard error. Rejects when there is no engine. */
  async #run(
    args: string[],
    { timeoutMs = COMMAND_MS, input }: { timeoutMs?: number; input?: Readable } = {},
  ): Promise<{ code: number | null; output: string; errors: string }> {
    const { file } = await this.#find()
    const child = spawn(file, args, { env: this.env, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'] })
    const output = collect(child.stdout, MAX_OUTPUT_CHARACTERS)
    const errors = collect(child.stderr, KEPT_CHARACTERS)
    let fault: string | undefined
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
    const ended = new Promise<number | null>(resolve => {
      child.once('error', error => {
        fault = error.message
        resolve(null)
      })
      child.once('close', resolve)
    })
    if (input)
      await pipeline(input, child.stdin).catch(() => {}) // the engine's exit code and stderr explain the failure
    else child.stdin.end()
    const code = await ended
    clearTimeout(timer)
    return { code, output: output(), errors: fault ?? withoutWarnings(errors()) }
  }
}

/** Removes log lines below the level `error`. */
function withoutWarnings(text: string): string {
  const lines = text.trim().split('\n')
  return lines.filter(line => !/^time=\S+ level=(warning|info|debug) /.test(line)).join('\n')
}

function collect(stream: Readable, maxCharacters: number): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < maxCharacters) text += chunk
  })
  return () => text
}
