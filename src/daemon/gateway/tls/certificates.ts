import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { Certificate, HostCertificate } from '../../../shared/contract/deployments/certificates.ts'
import { Lazy } from '../../../shared/lazy.ts'
import { type CertificateFiles, readCertificate } from './certificate-files.ts'
import { describeCertificate, describeFile, describeFiles } from './describe-certificate.ts'
import type { LocalAuthority } from './local-authority.ts'

interface CachedContext {
  context: SecureContext
  until: number
  /** Modification times of the certificate's files. */
  stamp: string
  /** Set only for issued certificates. */
  issued?: Certificate
}

/** Certificates of host names, and of the local authority. */
export interface CertificateReport {
  items: HostCertificate[]
  authority: Certificate | null
}

/** Cache time, much shorter than the lifetime of issued certificates. Changed files are read again on the next connection. */
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
   * `directory` contains the user's certificates (`<host name>.pem` and `.key`) and the local authority. `onProblem` receives the
   * reason why a name's certificate is unusable or will be rejected by clients.
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
    const found = stamp === '' ? await this.#issue(hostname) : { context: this.#read(hostname) }
    this.#cached.set(hostname, { ...found, stamp, until: Date.now() + CACHED_MS })
    return found.context
  }

  /** Issues no certificate, and does not create the authority. */
  describe(hostnames: readonly string[]): CertificateReport {
    const files = new Set(listFiles(this.#directory))
    const items = hostnames.map((host): HostCertificate => {
      if (files.has(`${host}.pem`) || files.has(`${host}.key`)) return describeFiles(this.#filesOf(host))
      return { host, source: 'authority', certificate: this.#issued(host) ?? null, problem: null }
    })
    return { items, authority: describeFile(join(this.#directory, 'authority.pem')) ?? null }
  }

  /** Undefined if the next connection gets a new certificate. */
  #issued(hostname: string): Certificate | undefined {
    const cached = this.#cached.get(hostname)
    return cached && cached.until > Date.now() ? cached.issued : undefined
  }

  async #issue(hostname: string): Promise<Pick<CachedContext, 'context' | 'issued'>> {
    const authority = await this.#authority.get()
    const { key, certificate } = await authority.issue(hostname)
    return {
      context: createSecureContext({ key, cert: certificate }),
      issued: describeCertificate(certificate),
    }
  }

  #read(hostname: string): SecureContext {
    try {
      const { context, problem } = readCertificate(this.#filesOf(hostname))
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
   * Modification times of the files, or empty without files. With only one of the files, `find` fails instead of silently
   * falling back to the local authority.
   */
  #stampOf(hostname: string): string {
    const { certificate, key } = this.#filesOf(hostname)
    const found = [certificate, key].map(path => statSync(path, { throwIfNoEntry: false })?.mtimeMs)
    return found.every(time => time === undefined) ? '' : found.join(' ')
  }

  #filesOf(hostname: string): CertificateFiles {
    const path = join(this.#directory, hostname)
    return { hostname, certificate: `${path}.pem`, key: `${path}.key` }
  }
}

/** Empty for a folder that does not exist yet. */
function listFiles(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : []
}
