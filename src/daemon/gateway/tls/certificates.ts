import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createSecureContext, type SecureContext } from 'node:tls'
import { Lazy } from '../../../shared/lazy.ts'
import { readCertificate } from './certificate-files.ts'
import type { LocalAuthority } from './local-authority.ts'

interface CachedContext {
  context: SecureContext
  until: number
  /** Modification times of the certificate's files. */
  stamp: string
}

/** Issued certificates are replaced long before they expire. Files are read again when they change. */
const CACHED_MS = 86_400_000

/** The key and certificate of each host, from files if there are any, otherwise from the local authority. */
export class Certificates {
  readonly #directory: string
  readonly #cached = new Map<string, CachedContext>()
  readonly #onProblem: (problem: string) => void
  /** Last reported problem of each name, so that it is not reported for every connection. */
  readonly #reported = new Map<string, string>()
  readonly #authority: Lazy<LocalAuthority>

  /**
   * `directory` contains the user's certificates (`<host name>.pem` and `.key`) and the local authority. `onProblem` receives
   * why clients will reject a name's files.
   */
  constructor(directory: string, onProblem: (problem: string) => void = () => {}) {
    this.#directory = directory
    this.#onProblem = onProblem
    this.#authority = new Lazy(async () =>
      (await import('./local-authority.ts')).LocalAuthority.open(directory),
    )
  }

  /** Rejects with UNAVAILABLE for invalid files instead of falling back to the local authority. */
  async find(hostname: string): Promise<SecureContext> {
    const stamp = this.#stampOf(hostname)
    const cached = this.#cached.get(hostname)
    if (cached && cached.stamp === stamp && cached.until > Date.now()) return cached.context
    const context = stamp === '' ? await this.#issue(hostname) : this.#read(hostname)
    this.#cached.set(hostname, { context, stamp, until: Date.now() + CACHED_MS })
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
      this.#report(hostname, problem)
      return context
    } catch (error) {
      this.#report(hostname, (error as Error).message)
      throw error
    }
  }

  #report(hostname: string, problem: string | undefined): void {
    if (problem !== undefined && problem !== this.#reported.get(hostname)) this.#onProblem(problem)
    if (problem === undefined) this.#reported.delete(hostname)
    else this.#reported.set(hostname, problem)
  }

  /**
   * Empty without files. With only one of the files, `find` fails instead of silently falling back to the local authority.
   */
  #stampOf(hostname: string): string {
    const found = this.#paths(hostname).map(path => statSync(path, { throwIfNoEntry: false })?.mtimeMs)
    return found.every(time => time === undefined) ? '' : found.join(' ')
  }

  #paths(hostname: string): [string, string] {
    return [join(this.#directory, `${hostname}.pem`), join(this.#directory, `${hostname}.key`)]
  }
}
