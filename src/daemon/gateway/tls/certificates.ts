import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createSecureContext, type SecureContext } from 'node:tls'
import { Lazy } from '../../../shared/lazy.ts'
import { readCertificate } from './certificate-files.ts'
import type { LocalAuthority } from './local-authority.ts'

interface Kept {
  context: SecureContext
  until: number
  /** Of the files it was read from; changes when they do. */
  stamp: string
}

/** An issued certificate is made anew long before it ends; a file's is read anew when the file changed. */
const KEPT_MS = 86_400_000

/** The key and certificate of each host: from files where there are some, else from the local authority. */
export class Certificates {
  readonly #directory: string
  readonly #kept = new Map<string, Kept>()
  readonly #onProblem: (problem: string) => void
  /** What was last told of a name's files: each problem once, not with every connection. */
  readonly #told = new Map<string, string>()
  readonly #authority: Lazy<LocalAuthority>

  /**
   * `directory` holds `<host name>.pem` and `.key` of names with certificates of their own, and the local authority.
   * `onProblem`: is told why clients will not take a name's files.
   */
  constructor(directory: string, onProblem: (problem: string) => void = () => {}) {
    this.#directory = directory
    this.#onProblem = onProblem
    this.#authority = new Lazy(async () =>
      (await import('./local-authority.ts')).LocalAuthority.open(directory),
    )
  }

  /** Rejects with UNAVAILABLE for files that are no certificate with its key; nothing else takes their place. */
  async find(hostname: string): Promise<SecureContext> {
    const stamp = this.#stampOf(hostname)
    const kept = this.#kept.get(hostname)
    if (kept && kept.stamp === stamp && kept.until > Date.now()) return kept.context
    const context = stamp === '' ? await this.#issue(hostname) : this.#read(hostname)
    this.#kept.set(hostname, { context, stamp, until: Date.now() + KEPT_MS })
    return context
  }

  async #issue(hostname: string): Promise<SecureContext> {
    const authority = await this.#authority.get()
    const { key, certificate } = await authority.issue(hostname)
    return createSecureContext({ key, cert: certificate })
  }

  #read(hostname: string): SecureContext {
    const [certificate, key] = this.#paths(hostname)
    try {
      const { context, problem } = readCertificate({ hostname, certificate, key })
      this.#tell(hostname, problem)
      return context
    } catch (error) {
      this.#tell(hostname, (error as Error).message)
      throw error
    }
  }

  #tell(hostname: string, problem: string | undefined): void {
    if (problem !== undefined && problem !== this.#told.get(hostname)) this.#onProblem(problem)
    if (problem === undefined) this.#told.delete(hostname)
    else this.#told.set(hostname, problem)
  }

  /** Empty where there is neither file; a lone one is an error, or its owner would be served by another authority. */
  #stampOf(hostname: string): string {
    const found = this.#paths(hostname).map(path => statSync(path, { throwIfNoEntry: false })?.mtimeMs)
    return found.every(time => time === undefined) ? '' : found.join(' ')
  }

  #paths(hostname: string): [string, string] {
    return [join(this.#directory, `${hostname}.pem`), join(this.#directory, `${hostname}.key`)]
  }
}
