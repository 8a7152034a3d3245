import 'reflect-metadata'
import { randomBytes, webcrypto } from 'node:crypto'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { writeFileAtomic } from '../../../shared/atomic-file.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 86_400_000
/** Clients with a slow clock would reject a certificate from the future. */
const BACKDATED_MS = DAY_MS
const AUTHORITY_DAYS = 3650
/** Longer than certificates are cached (certificates.ts). */
const SERVER_DAYS = 30

/** In PEM format. */
export interface KeyAndCertificate {
  key: string
  certificate: string
}

/**
 * The certificate authority of this machine, created at first use. Its key never leaves the home (0600). Clients that trust
 * its certificate reach the servers over HTTPS without a warning.
 */
export class LocalAuthority {
  /** The certificate that clients must trust. */
  readonly certificatePath: string
  readonly #certificate: X509Certificate
  readonly #key: webcrypto.CryptoKey

  private constructor(certificatePath: string, certificate: X509Certificate, key: webcrypto.CryptoKey) {
    this.certificatePath = certificatePath
    this.#certificate = certificate
    this.#key = key
  }

  static async open(directory: string): Promise<LocalAuthority> {
    const certificatePath = join(directory, 'authority.pem')
    const keyPath = join(directory, 'authority.key')
    if (!existsSync(certificatePath) || !existsSync(keyPath)) {
      const { key, certificate } = await createAuthority()
      writeFileAtomic(keyPath, key)
      writeFileAtomic(certificatePath, certificate, 0o644)
    }
    chmodSync(keyPath, 0o600)
    const key = await readKey(readFileSync(keyPath, 'utf8'))
    return new LocalAuthority(
      certificatePath,
      new X509Certificate(readFileSync(certificatePath, 'utf8')),
      key,
    )
  }

  /** A key and a certificate chain for one host name. */
  async issue(hostname: string): Promise<KeyAndCertificate> {
    const keys = await createKeys()
    const certificate = await X509CertificateGenerator.create({
      ...validity(SERVER_DAYS),
      subject: `CN=${hostname}`,
      issuer: this.#certificate.subject,
      publicKey: keys.publicKey,
      signingKey: this.#key,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(false),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension([{ type: 'dns', value: hostname }]),
      ],
    })
    const chain = [certificate, this.#certificate].map(each => each.toString('pem')).join('\n')
    return { key: await writeKey(keys.privateKey), certificate: chain }
  }
}

async function createAuthority(): Promise<KeyAndCertificate> {
  const keys = await createKeys()
  // Distinguishes the authorities of several machines in one trust store.
  const tag = randomBytes(4).toString('hex')
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...validity(AUTHORITY_DAYS),
    name: `CN=mcp-hosting local authority ${tag}, O=mcp-hosting`,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  })
  return { key: await writeKey(keys.privateKey), certificate: certificate.toString('pem') }
}

function validity(days: number) {
  const now = Date.now()
  const serialNumber = `00${randomBytes(15).toString('hex')}` // a positive number (RFC 5280 section 4.1.2.2)
  return { serialNumber, notBefore: new Date(now - BACKDATED_MS), notAfter: new Date(now + days * DAY_MS) }
}

function createKeys() {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
}

async function writeKey(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${bytes.match(/.{1,64}/g)!.join('\n')}\n-----END PRIVATE KEY-----\n`
}

function readKey(pem: string): Promise<webcrypto.CryptoKey> {
  const bytes = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
  return webcrypto.subtle.importKey('pkcs8', bytes, ALGORITHM, true, ['sign'])
}
