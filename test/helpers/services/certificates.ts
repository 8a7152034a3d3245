import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:tls'
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509'

const DAY_MS = 86_400_000

/** Creates a key and a self-signed certificate that clients can trust directly. The certificate expires after `days`. */
export async function makeCertificate(hostname: string, days: number): Promise<{ pem: string; key: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${hostname}`,
    notBefore: new Date(Date.now() - 10 * DAY_MS),
    notAfter: new Date(Date.now() + days * DAY_MS),
    keys,
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: hostname }])],
  })
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  return {
    pem: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${key.match(/.{1,64}/g)!.join('\n')}\n-----END PRIVATE KEY-----\n`,
  }
}

/** SHA-256 fingerprint of the certificate that the port serves for a host name. */
export async function servedFingerprint(servername: string, port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}
