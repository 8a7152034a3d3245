import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Agent, fetch as undiciFetch } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildServer, deploy, echoServer } from '../../daemon/http/fixtures.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { createHome } from '../../helpers/daemon/mcp.ts'
import { makeCertificate } from '../../helpers/services/certificates.ts'

/** A server with a custom domain, called by an MCP client over http and https, with certificates from files. */
const DOMAIN = 'mcp.example.com'

let daemon: TestDaemon
let plain: URL
let secure: URL

beforeAll(async () => {
  daemon = await startTestDaemon({ namedPorts: { http: 0, https: 0 } })
  const { deployment_id } = await deploy(daemon, await buildServer(daemon), 'production', { domain: DOMAIN })
  const { body } = await daemon.api('GET', `/v1/deploy/${deployment_id}/status`)
  const urls = (body.data.named_urls as string[]).map(url => new URL(url))
  const ofDomain = (protocol: string) =>
    urls.find(url => url.hostname === DOMAIN && url.protocol === protocol)!
  plain = ofDomain('http:')
  secure = ofDomain('https:')
  mkdirSync(daemon.home.tls, { recursive: true })
})
afterAll(() => daemon.close())

/** Calls the server's tool from an MCP client that resolves the domain to this machine. Returns the result. */
async function say(url: URL, ca?: string): Promise<unknown> {
  const agent = new Agent({
    connect: { ...(ca && { ca }), lookup: (_name, _options, done) => done(null, LOOPBACK) },
  })
  const fetch = (input: unknown, init: object) => undiciFetch(input as URL, { ...init, dispatcher: agent })
  const client = new Client({ name: 'test', version: '1' })
  try {
    await client.connect(new StreamableHTTPClientTransport(url, { fetch: fetch as never }))
    const { content } = await client.callTool({ name: 'say', arguments: { text: 'hi' } })
    return (content as { text: string }[])[0]!.text
  } finally {
    await client.close()
    await agent.destroy()
  }
}

const LOOPBACK = [{ address: '127.0.0.1', family: 4 }]

/** Makes a call that must fail to connect. Returns the error code from the system or OpenSSL. */
async function refusal(url: URL, ca?: string): Promise<unknown> {
  const error = await say(url, ca).then(
    () => expect.unreachable('the client was served'),
    (error: Error) => error,
  )
  return (error.cause as { code?: string } | undefined)?.code
}

const file = (extension: 'pem' | 'key') => join(daemon.home.tls, `${DOMAIN}.${extension}`)
const lastWarning = () => daemon.errors.at(-1)?.message

describe('a server with a custom domain', () => {
  test('a server with a custom domain can be called over http', async () => {
    expect(await say(plain)).toBe('You said hi')
  })

  test('only clients that trust the local authority can call a server with a custom domain over https', async () => {
    expect(await refusal(secure)).toMatch(/SELF_SIGNED_CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/)
    const authority = readFileSync(join(daemon.home.tls, 'authority.pem'), 'utf8')
    expect(await say(secure, authority)).toBe('You said hi')
  })

  test('a server with a custom domain uses the certificate from files, while other names keep theirs', async () => {
    const { pem, key } = await makeCertificate(DOMAIN, 10)
    writeFileSync(file('key'), key)
    writeFileSync(file('pem'), pem)
    expect(await say(secure, pem)).toBe('You said hi')
    const authority = readFileSync(join(daemon.home.tls, 'authority.pem'), 'utf8')
    expect(await refusal(secure, authority)).toMatch(/SELF_SIGNED/)
    const local = new URL(`https://echo.localhost:${secure.port}/mcp`)
    expect(await say(local, authority)).toBe('You said hi')
    expect(daemon.errors).toEqual([])
  })
})

describe('an unusable certificate', () => {
  test('an expired certificate is logged once, and the client reports it too', async () => {
    const { pem, key } = await makeCertificate(DOMAIN, -1)
    writeFileSync(file('key'), key)
    writeFileSync(file('pem'), pem)
    const before = daemon.errors.length
    expect(await refusal(secure, pem)).toBe('CERT_HAS_EXPIRED')
    expect(await refusal(secure, pem)).toBe('CERT_HAS_EXPIRED')
    expect(lastWarning()).toMatch(/mcp\.example\.com\.pem expired on \d{4}-/)
    expect(daemon.errors).toHaveLength(before + 1)
  })

  test('a certificate for another name is logged', async () => {
    const { pem, key } = await makeCertificate('other.example.com', 10)
    writeFileSync(file('key'), key)
    writeFileSync(file('pem'), pem)
    expect(await refusal(secure, pem)).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
    expect(lastWarning()).toContain(`is not for ${DOMAIN}; it is for DNS:other.example.com`)
  })

  test('a certificate whose key does not match is logged once, and no other certificate replaces it', async () => {
    const [{ pem }, { key }] = await Promise.all([makeCertificate(DOMAIN, 10), makeCertificate(DOMAIN, 10)])
    writeFileSync(file('key'), key)
    writeFileSync(file('pem'), pem)
    const before = daemon.errors.length
    for (let tries = 0; tries < 2; tries++) expect(await refusal(secure, pem)).toMatch(/ECONNRESET|SSL/)
    expect(lastWarning()).toBe(`The key ${file('key')} does not belong to the certificate ${file('pem')}.`)
    expect(daemon.errors).toHaveLength(before + 1)
  })

  test.each([
    ['pem', 'a certificate in PEM'],
    ['key', 'a private key in PEM without a passphrase'],
  ] as const)('a certificate with a damaged .%s file is logged', async (extension, expected) => {
    const made = await makeCertificate(DOMAIN, 10)
    writeFileSync(file('key'), made.key)
    writeFileSync(file('pem'), made.pem)
    writeFileSync(file(extension), 'damaged')
    expect(await refusal(secure, made.pem)).toMatch(/ECONNRESET|SSL/)
    expect(lastWarning()).toBe(`${file(extension)} is not ${expected}.`)
  })
})

describe('mcp domains trust', () => {
  interface Trust {
    certificate: string
    exists: boolean
    commands: { command: string }[]
  }

  test('mcp domains trust says when the authority is created, and then shows its certificate and a command with the right port', async () => {
    const home = createHome()
    try {
      const before = await home.mcp(['domains', 'trust'])
      expect(before).toMatchObject({ code: 0, stdout: expect.stringContaining('first HTTPS connection') })
      const api = (path: string, body: unknown) =>
        fetch(new URL(path, home.discovery()!.url), {
          method: 'POST',
          headers: { authorization: `Bearer ${home.apiKey()}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }).then(answer => answer.json() as Promise<{ data: { mcp_id: string } }>)
      const { data } = await api('/v1/build', echoServer())
      await api('/v1/deploy', { mcp_id: data.mcp_id, environment: 'production' })
      const { certificate, exists, commands } = await home.json<Trust>(['domains', 'trust'])
      expect([exists, existsSync(certificate)]).toEqual([true, true])
      const curl = commands.find(({ command }) => command.startsWith('curl'))!.command
      const url = /https:\/\/echo\.localhost:\d+/.exec(curl)![0]
      expect(await say(new URL('/mcp', url), readFileSync(certificate, 'utf8'))).toBe('You said hi')
    } finally {
      await home.remove()
    }
  })
})
