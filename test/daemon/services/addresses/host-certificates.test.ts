import { X509Certificate } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CertificateList } from '../../../../src/shared/contract/deployments/certificates.ts'
import { startTestDaemon, type TestDaemon } from '../../../helpers/daemon/daemon.ts'
import { makeCertificate, servedFingerprint } from '../../../helpers/services/certificates.ts'
import { buildServer, deploy, echoServer } from '../../http/fixtures.ts'

const DOMAIN = 'mcp.example.com'
const REPLACE = `Replace ${DOMAIN}.pem and ${DOMAIN}.key in the folder tls of the home.`

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon({ namedPorts: { http: 0, https: 0 } })
  await deploy(daemon, await buildServer(daemon), 'production', { domain: DOMAIN })
  mkdirSync(daemon.home.tls, { recursive: true })
})
afterAll(() => daemon.close())

const list = async (): Promise<CertificateList> => (await daemon.api('GET', '/api/certificates')).body
const ofDomain = async () => (await list()).items.find(({ host }) => host === DOMAIN)!
const write = (extension: 'pem' | 'key', text: string) =>
  writeFileSync(join(daemon.home.tls, `${DOMAIN}.${extension}`), text)
const writeCertificate = async (hostname: string, days: number) => {
  const { pem, key } = await makeCertificate(hostname, days)
  write('pem', pem)
  write('key', key)
  return new X509Certificate(pem)
}

test('lists a certificate of the local authority as soon as a client has received it', async () => {
  const before = await list()
  expect(before.items).toEqual(
    ['echo.localhost', DOMAIN].map(host => ({ host, source: 'authority', certificate: null, problem: null })),
  )
  expect(before.authority).toBeNull()
  const fingerprint = await servedFingerprint('echo.localhost', before.port!)
  const { items, authority } = await list()
  const root = new X509Certificate(readFileSync(join(daemon.home.tls, 'authority.pem')))
  expect(authority).toEqual({
    subject: root.subject.replace('\n', ', '),
    issuer: root.issuer.replace('\n', ', '),
    notBefore: root.validFromDate.toISOString(),
    notAfter: root.validToDate.toISOString(),
    fingerprint: root.fingerprint256,
  })
  expect(items[0]!.certificate).toMatchObject({
    subject: 'CN=echo.localhost',
    issuer: authority!.subject,
    fingerprint,
  })
  expect(items[1]!.certificate).toBeNull()
})

test('lists a certificate from files, and no problem while clients can use it', async () => {
  const { fingerprint256: fingerprint } = await writeCertificate(DOMAIN, 10)
  const { port } = await list()
  expect(await ofDomain()).toMatchObject({
    source: 'file',
    certificate: { subject: `CN=${DOMAIN}`, issuer: `CN=${DOMAIN}`, fingerprint },
    problem: null,
  })
  expect(await servedFingerprint(DOMAIN, port!)).toBe(fingerprint)
})

test('reports why clients reject a certificate, and what to do', async () => {
  const { validToDate } = await writeCertificate(DOMAIN, -1)
  expect(await ofDomain()).toMatchObject({
    certificate: { notAfter: validToDate.toISOString() },
    problem: `The certificate ${DOMAIN}.pem expired on ${validToDate.toISOString().slice(0, 10)}. ${REPLACE}`,
  })
  await writeCertificate('other.example.com', 10)
  expect(await ofDomain()).toMatchObject({
    certificate: { subject: 'CN=other.example.com' },
    problem: `The certificate ${DOMAIN}.pem is not for ${DOMAIN}; it is for DNS:other.example.com. ${REPLACE}`,
  })
})

test('reports unusable files without the path of the home or a part of the key', async () => {
  await writeCertificate(DOMAIN, 10)
  const { key } = await makeCertificate(DOMAIN, 10)
  write('key', key)
  const mismatch = await ofDomain()
  expect(mismatch.certificate).not.toBeNull()
  expect(mismatch.problem).toMatch(
    `The key ${DOMAIN}.key does not belong to the certificate ${DOMAIN}.pem. Replace the key`,
  )
  write('pem', 'damaged')
  const { body, text } = await daemon.api('GET', '/api/certificates')
  expect(body.items.at(-1)).toEqual({
    host: DOMAIN,
    source: 'file',
    certificate: null,
    problem: `${DOMAIN}.pem is not a certificate in PEM. ${REPLACE}`,
  })
  expect(text).not.toContain(daemon.home.home)
  expect(text).not.toContain(key.split('\n')[1])
})

test('lists mapped subdomains, and no name of a removed deployment', async () => {
  const { deployment_id } = await deploy(daemon, await buildServer(daemon, echoServer('brief')))
  await daemon.api('PUT', '/api/lambda-mapping/team', { body: { deploymentId: deployment_id } })
  const hosts = async () => (await list()).items.map(({ host }) => host)
  expect(await hosts()).toEqual(['brief-dev.localhost', 'echo.localhost', DOMAIN, 'team.localhost'])
  await daemon.api('DELETE', '/v1/servers/brief')
  expect(await hosts()).toEqual(['echo.localhost', DOMAIN])
})

test('reports that the daemon does not listen for HTTPS by name', async () => {
  const silent = await startTestDaemon()
  const { status, body } = await silent.api('GET', '/api/certificates')
  await silent.close()
  expect([status, body]).toEqual([200, { port: null, items: [], authority: null }])
})
