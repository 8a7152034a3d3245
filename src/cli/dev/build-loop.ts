import type { BuildRecord } from '../../shared/contract/builds/builds.ts'
import { HostingError } from '../../shared/errors.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { requestBuild } from '../project/build-server.ts'
import type { Project } from '../project/project.ts'

export type Outcome =
  | { kind: 'built'; record: BuildRecord; ms: number; files: string[] }
  /** The last good build keeps serving. */
  | { kind: 'failed'; error: HostingError; ms: number; mcpId?: string }
  /** Nothing relevant has changed. */
  | { kind: 'same' }

export interface BuildLoopOptions {
  /** Reads the project again. */
  open(): Promise<Project>
  onOutcome(outcome: Outcome): Promise<void> | void
}

interface BuildTrigger {
  /** Time of the change (`performance.now()`). */
  since?: number
  /** Build even without a change. */
  force?: boolean
  /** Changed files, relative to the project. */
  files?: string[]
}

/** Rebuilds a project, one build at a time, and again if something changed during a build. */
export class BuildLoop {
  readonly #context: CommandContext
  readonly #options: BuildLoopOptions
  #wanted: Required<BuildTrigger> | undefined
  #running: Promise<void> | undefined
  /** Fingerprint of the last build's request. */
  #fingerprint: string | undefined
  /** Project that holds the server's source. */
  #projectId: string | undefined

  constructor(context: CommandContext, options: BuildLoopOptions) {
    this.#context = context
    this.#options = options
  }

  /** Resolves when all changes so far have been built. */
  build({ since = performance.now(), force = false, files = [] }: BuildTrigger = {}): Promise<void> {
    this.#wanted = {
      since: this.#wanted?.since ?? since,
      force: force || (this.#wanted?.force ?? false),
      files: [...new Set([...(this.#wanted?.files ?? []), ...files])],
    }
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #run(): Promise<void> {
    for (let wanted = this.#wanted; wanted && !this.#context.signal.aborted; wanted = this.#wanted) {
      this.#wanted = undefined
      await this.#options.onOutcome(await this.#try(wanted))
    }
  }

  async #try({ since, force, files }: Required<BuildTrigger>): Promise<Outcome> {
    const elapsed = () => performance.now() - since
    try {
      const record = await this.#make(force)
      if (!record) return { kind: 'same' }
      if (record.status !== 'failed') return { kind: 'built', record, ms: elapsed(), files }
      return { kind: 'failed', error: errorOf(record), ms: elapsed(), mcpId: record.mcp_id }
    } catch (error) {
      if (!(error instanceof HostingError) || error.code === 'CANCELLED') throw error
      return { kind: 'failed', error, ms: elapsed() }
    }
  }

  /** Undefined when nothing has changed. */
  async #make(force: boolean): Promise<BuildRecord | undefined> {
    const { request, sourceDirectory, project } = await this.#options.open()
    if (sourceDirectory === undefined) {
      // Any changed file may belong to a program's code.
      const fingerprint = request.program ? undefined : JSON.stringify(request)
      return this.#buildIfChanged(fingerprint, force, async () => request)
    }
    const [{ packSource }, { sendSource }] = await Promise.all([
      import('../project/source/pack-source.ts'),
      import('../project/source/upload-source.ts'),
    ])
    const packed = await packSource(sourceDirectory)
    try {
      return await this.#buildIfChanged(JSON.stringify([request, packed.digest]), force, async () => {
        const folder = { directory: sourceDirectory, name: request.name, project: project ?? this.#projectId }
        const sent = await sendSource(await this.#context.api(), folder, packed, () => {})
        this.#projectId = sent.project_id
        return { ...request, ...sent }
      })
    } finally {
      packed.remove()
    }
  }

  async #buildIfChanged(
    fingerprint: string | undefined,
    force: boolean,
    toRequest: () => Promise<Project['request']>,
  ): Promise<BuildRecord | undefined> {
    if (!force && fingerprint !== undefined && fingerprint === this.#fingerprint) return undefined
    const request = await toRequest()
    const record = await this.#context.output.progress(`Building ${request.name}`, update =>
      requestBuild(this.#context, request, { update }),
    )
    this.#fingerprint = fingerprint
    return record
  }
}

function errorOf({ error }: BuildRecord): HostingError {
  const { code, message, details } = error ?? { code: 'INTERNAL', message: 'The build failed.' }
  return new HostingError(code as HostingError['code'], message, { details })
}
