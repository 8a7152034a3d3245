import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createSecureContext, type SecureContext } from 'node:tls'
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
  #authority: Promise<LocalAuthority> | undefined

  /** `directory` holds `<host name>.pem` and `.key` of names with certificates of their own, and the local authority. */
  constructor(directory: string) {
    this.#directory = directory
  }

  /** Rejects for files that are no certificate with its key. */
  async find(hostname: string): Promise<SecureContext> {
    const stamp = this.#stampOf(hostname)
    const kept = this.#kept.get(hostname)
    if (kept && kept.stamp === stamp && kept.until > Date.now()) return kept.context
    const context = stamp === '' ? await this.#issue(hostname) : this.#read(hostname)
    this.#kept.set(hostname, { context, stamp, until: Date.now() + KEPT_MS })
    return context
  }

  async #issue(hostname: string): Promise<SecureContext> {
    this.#authority ??= import('./local-authority.ts').then(({ LocalAuthority }) =>
      LocalAuthority.open(this.#directory),
    )
    const { key, certificate } = await (await this.#authority).issue(hostname)
    return createSecureContext({ key, cert: certificate })
  }

  #read(hostname: string): SecureContext {
    const [certificate, key] = this.#paths(hostname).map(path => readFileSync(path, 'utf8'))
    return createSecureContext({ key: key!, cert: certificate! })
  }

  #stampOf(hostname: string): string {
    const found = this.#paths(hostname).map(path => statSync(path, { throwIfNoEntry: false })?.mtimeMs)
    return found.includes(undefined) ? '' : found.join(' ')
  }

  #paths(hostname: string): [string, string] {
    return [join(this.#directory, `${hostname}.pem`), join(this.#directory, `${hostname}.key`)]
  }
}
