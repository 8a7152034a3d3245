import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContext } from 'node:tls'
import { HostingError } from '../../../shared/errors.ts'

export interface CertificateFiles {
  hostname: string
  /** Path of a PEM file with the certificate, then its chain. */
  certificate: string
  /** Path of a PEM file without a passphrase. */
  key: string
}

/**
 * Reads the certificate and key for a host name. `problem`: why clients will reject the certificate, which is served anyway
 * so that they report it. Throws UNAVAILABLE for unusable files.
 */
export function readCertificate({ hostname, certificate, key }: CertificateFiles): {
  context: SecureContext
  problem?: string
} {
  const cert = readFile(certificate)
  const x509 = parse(certificate, 'a certificate in PEM', () => new X509Certificate(cert))
  const keyText = readFile(key)
  const privateKey = parse(key, 'a private key in PEM without a passphrase', () => createPrivateKey(keyText))
  requireTogether(x509, privateKey, { certificate, key })
  const problem = problemOf(x509, hostname)
  const context = createSecureContext({ key: keyText, cert })
  return problem ? { context, problem: `The certificate ${certificate} ${problem}.` } : { context }
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new HostingError('UNAVAILABLE', `${path} cannot be read (${code}).`, {
      details:
        'The certificate <name>.pem and its key <name>.key must be in the same folder and readable by the daemon.',
      cause,
    })
  }
}

function parse<T>(path: string, expected: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new HostingError('UNAVAILABLE', `${path} is not ${expected}.`, { cause })
  }
}

function requireTogether(
  x509: X509Certificate,
  privateKey: KeyObject,
  { certificate, key }: Pick<CertificateFiles, 'certificate' | 'key'>,
): void {
  if (x509.checkPrivateKey(privateKey)) return
  throw new HostingError('UNAVAILABLE', `The key ${key} does not belong to the certificate ${certificate}.`, {
    details:
      'Replace the key with the one that the certificate was requested with. The new file is used immediately.',
  })
}

function problemOf(x509: X509Certificate, hostname: string): string | undefined {
  const now = Date.now()
  if (x509.validToDate.getTime() < now) return `expired on ${x509.validToDate.toISOString().slice(0, 10)}`
  if (x509.validFromDate.getTime() > now) return `is not valid before ${x509.validFromDate.toISOString()}`
  if (x509.checkHost(hostname) === undefined)
    return `is not for ${hostname}; it is for ${x509.subjectAltName ?? 'no name'}`
  return undefined
}
