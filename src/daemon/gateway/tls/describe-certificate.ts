import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import type { Certificate, HostCertificate } from '../../../shared/contract/deployments/certificates.ts'
import type { HostingError } from '../../../shared/errors.ts'
import { type CertificateFiles, readCertificate } from './certificate-files.ts'

/** Throws for anything but a certificate in PEM. */
export function describeCertificate(pem: string): Certificate {
  const x509 = new X509Certificate(pem)
  return {
    // Undefined for a certificate without a subject (RFC 5280 section 4.1.2.6).
    subject: oneLine(x509.subject ?? ''),
    issuer: oneLine(x509.issuer),
    notBefore: x509.validFromDate.toISOString(),
    notAfter: x509.validToDate.toISOString(),
    fingerprint: x509.fingerprint256,
  }
}

/** Undefined if the file is missing or has no certificate. */
export function describeFile(path: string): Certificate | undefined {
  try {
    return describeCertificate(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** Certificate of a host name with files. The problem contains no path, because clients of the API may be on other machines. */
export function describeFiles(files: CertificateFiles): HostCertificate {
  const { hostname: host, certificate } = files
  const problem = findProblem(files)?.replaceAll(`${dirname(certificate)}${sep}`, '')
  return { host, source: 'file', certificate: describeFile(certificate) ?? null, problem: problem ?? null }
}

function findProblem(files: CertificateFiles): string | undefined {
  const fix = `Replace ${files.hostname}.pem and ${files.hostname}.key in the folder tls of the home.`
  try {
    const { problem } = readCertificate(files)
    return problem && `${problem} ${fix}`
  } catch (error) {
    const { message, details = fix } = error as HostingError
    return `${message} ${details}`
  }
}

function oneLine(distinguishedName: string): string {
  return distinguishedName.split('\n').join(', ')
}
