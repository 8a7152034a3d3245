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

export interface ContainersOptions {
  /** Containers of this home are known by it. */
  home: string
  /** A file that is there once containers were used: without it nothing is looked for at a start. */
  marker: string
  /** The daemon before this one still serves, and ends its containers itself. */
  isHeir?: boolean
  env?: NodeJS.ProcessEnv
  /** Where containers ran before, an engine that is not there is waited for at a start; default 30 s. */
  patienceMs?: number
}

/** Every container has it; the value tells the home. */
const HOME_LABEL = 'mcp-hosting.home'
/** The value tells the daemon that started it. */
const DAEMON_LABEL = 'mcp-hosting.daemon'

const COMMAND_MS = 60_000
const PULL_MS = 600_000
const PATIENCE_MS = 30_000
const RETRY_MS = 500
const KEPT_CHARACTERS = 4000
const MAX_OUTPUT_CHARACTERS = 1024 * 1024

/** An engine of containers, its images, and the containers of one home. */
export class Containers {
  readonly #homeId: string
  readonly #daemonId = randomUUID()
  readonly #options: ContainersOptions
  readonly #env: NodeJS.ProcessEnv
  #found: Promise<FoundEngine> | undefined
  #swept: Promise<void> | undefined
  #isEnding = false
  readonly #providing = new Map<string, Promise<void>>()

  constructor(options: ContainersOptions) {
    this.#options = options
    this.#env = options.env ?? process.env
    this.#homeId = createHash('sha256').update(options.home).digest('hex').slice(0, 16)
  }

  /** For the engine's client, here and in the instances. */
  get env(): Record<string, string> {
    return engineEnvironment(this.#env)
  }

  /** `id`: of the deployment or build. */
  labels(server: string, id: string): Record<string, string> {
    return {
      [HOME_LABEL]: this.#homeId,
      [DAEMON_LABEL]: this.#daemonId,
      'mcp-hosting.server': server,
      'mcp-hosting.id': id,
    }
  }

  /** Removes what an earlier daemon of this home left, where it used containers at all. */
  async begin(): Promise<void> {
    if (!existsSync(this.#options.marker)) return
    this.#found = this.#findPatiently()
    await this.require()
  }

  /** The engine, once nothing of an earlier daemon is left. Throws UNAVAILABLE with the reason when there is none. */
  async require(): Promise<ContainerEngine> {
    const engine = await this.#find()
    this.#swept ??= this.#sweep()
    await this.#swept
    return engine
  }

  async has(image: string): Promise<boolean> {
    return (await this.#inspect(image)) !== undefined
  }

  /** Its id, for example `sha256:…`; fetched from its registry unless it is here. Throws UPSTREAM_FAILED. */
  async pull(image: string): Promise<string> {
    const known = await this.#inspect(image)
    if (known !== undefined) return known
    const { code, errors } = await this.#run(['pull', '--quiet', image], { timeoutMs: PULL_MS })
    const id = code === 0 ? await this.#inspect(image) : undefined
    if (id !== undefined) return id
    throw new HostingError('UPSTREAM_FAILED', `The image ${image} is neither here nor can it be fetched.`, {
      details: errors || undefined,
      next: [{ description: 'See the images there are', command: `${(await this.#find()).name} images` }],
    })
  }

  /** Sees that the image is here; `archive` gives it as `docker save` writes it, with that name. Throws UNAVAILABLE. */
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
    throw new HostingError('UNAVAILABLE', `The image could not be given to ${(await this.#find()).name}.`, {
      details: errors || undefined,
    })
  }

  /** Removes every container of this daemon. Where the engine does not answer, the next start does it. */
  async end(): Promise<void> {
    this.#isEnding = true
    if (this.#swept) await this.#removeAll(`${DAEMON_LABEL}=${this.#daemonId}`).catch(() => {})
  }

  async #inspect(image: string): Promise<string | undefined> {
    const { code, output } = await this.#run(['image', 'inspect', '--format', '{{.Id}}', image])
    if (code !== 0) return undefined
    const id = output.trim()
    return id.includes(':') ? id : `sha256:${id}`
  }

  /** When the machine has just started, so may have the engine's own server. */
  async #findPatiently(): Promise<FoundEngine> {
    const deadline = performance.now() + (this.#options.patienceMs ?? PATIENCE_MS)
    for (;;) {
      const found = await findContainerEngine(this.#env)
      if (found.usable || this.#isEnding || performance.now() >= deadline) return found
      await new Promise(resolve => setTimeout(resolve, RETRY_MS))
    }
  }

  /** What was found stays so; what was not may be installed by the next time. */
  async #find(): Promise<ContainerEngine> {
    this.#found ??= findContainerEngine(this.#env)
    const found = await this.#found
    if (found.usable) return found.engine
    this.#found = undefined
    throw new HostingError(
      'UNAVAILABLE',
      `No container can be run here: ${found.why}${/[.?!]$/.test(found.why) ? '' : '.'}`,
      {
        details:
          'Install podman or docker, or deploy without --image: it then runs as a process. "mcp doctor" tells which engine there is.',
        next: [{ description: 'See what is missing', command: 'mcp doctor' }],
      },
    )
  }

  async #sweep(): Promise<void> {
    const { marker, isHeir } = this.#options
    if (existsSync(marker)) return isHeir ? undefined : this.#removeAll(`${HOME_LABEL}=${this.#homeId}`)
    mkdirSync(dirname(marker), { recursive: true, mode: 0o700 })
    writeFileSync(marker, 'Containers were used: the next start looks for what was left.\n', { mode: 0o600 })
  }

  async #removeAll(label: string): Promise<void> {
    const filter = ['--filter', `label=${label}`]
    const { output } = await this.#run(['ps', '--all', '--quiet', ...filter])
    const ids = output.split('\n').filter(line => /^[\da-f]{12,64}$/.test(line))
    if (ids.length > 0) await this.#run(['rm', '--force', '--volumes', ...ids])
  }

  /** `errors`: what it said about them, cut. Rejects when there is no engine. */
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
      await pipeline(input, child.stdin).catch(() => {}) // how it ended tells why
    else child.stdin.end()
    const code = await ended
    clearTimeout(timer)
    return { code, output: output(), errors: fault ?? withoutWarnings(errors()) }
  }
}

/** The tries that came before the error. */
function withoutWarnings(text: string): string {
  const lines = text.trim().split('\n')
  return lines.filter(line => !/^time=\S+ level=(warning|info|debug) /.test(line)).join('\n')
}

function collect(stream: Readable, mostCharacters: number): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < mostCharacters) text += chunk
  })
  return () => text
}
