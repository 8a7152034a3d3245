import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CertificateList } from '../../../src/shared/contract/deployments/certificates.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import type { TestHome } from '../../helpers/daemon/mcp.ts'
import { makeCertificate, servedFingerprint } from '../../helpers/services/certificates.ts'
import { writeServer } from './write-server.ts'

const ARGS = ['domains', 'certificates']

let home: TestHome

beforeAll(async () => {
  home = await startHome({ namedPorts: { http: 0, https: 0 } })
})
afterAll(() => home.remove())

const writeCertificate = async (host: string, days: number) => {
  const { pem, key } = await makeCertificate(host, days)
  const folder = join(home.dir, 'tls')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${host}.pem`), pem)
  writeFileSync(join(folder, `${host}.key`), key)
}

test('mcp domains certificates lists issuers, expiry and problems', async () => {
  expect((await home.mcp(ARGS)).stdout).toBe('No server has a name yet.\n')
  const hosts = ['old.example.com', 'soon.example.com', 'valid.example.com']
  for (const [index, host] of hosts.entries())
    await home.json(['deploy', writeServer(home, `served${index}`), '--env', 'production', '--domain', host])
  for (const [index, days] of [-1.5, 9.5, 90].entries()) await writeCertificate(hosts[index]!, days)
  const { port } = await home.json<CertificateList>(ARGS)
  const fingerprint = await servedFingerprint('served0.localhost', port!)

  const { items, authority } = await home.json<CertificateList>(ARGS)
  expect(items.find(({ host }) => host === 'served0.localhost')).toMatchObject({
    source: 'authority',
    certificate: { fingerprint, issuer: authority!.subject },
    problem: null,
  })
  const { stdout } = await home.mcp(ARGS)
  const day = String.raw`\d{4}-\d{2}-\d{2}`
  for (const line of [
    String.raw`HOST +ISSUER +EXPIRES`,
    String.raw`old\.example\.com +CN=old\.example\.com +${day} \(expired 1 d ago\)`,
    String.raw`served0\.localhost +local authority +${day}`,
    String.raw`served1\.localhost +local authority +not issued yet`,
    String.raw`soon\.example\.com +CN=soon\.example\.com +${day} \(in 9 d\)`,
    String.raw`valid\.example\.com +CN=valid\.example\.com +${day}`,
    String.raw`old\.example\.com: The certificate old\.example\.com\.pem expired on .* Replace .*`,
    String.raw` *local authority +CN=mcp-hosting local authority .*`,
  ])
    expect(stdout).toMatch(new RegExp(`^${line}$`, 'm'))
  expect(stdout).toContain('mcp domains trust')
  expect(stdout).not.toContain('valid.example.com:')
})

test('mcp domains certificates points to the daemon log when names are not served over HTTPS', async () => {
  const silent = await startHome()
  const { stdout } = await silent.mcp(ARGS)
  await silent.remove()
  expect(stdout).toMatch(/^The daemon does not serve names over HTTPS\..*\n\n.*mcp daemon logs/s)
})
