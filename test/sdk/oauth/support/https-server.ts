import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { close, listen } from './identity-provider.ts'

export interface HttpsServer extends AsyncDisposable {
  /** URL with the host name `client.example`, which only the test's lookup resolves. */
  url: string
  port: number
  ca: string
  requests: string[]
}

/** Starts a loopback https server with its own certificate. */
export async function startHttpsServer(listener: RequestListener): Promise<HttpsServer> {
  const { key, cert } = makeCertificate()
  const requests: string[] = []
  const server = createServer({ key, cert }, (request, response) => {
    requests.push(request.url!)
    listener(request, response)
  })
  await listen(server)
  const { port } = server.address() as AddressInfo
  return {
    url: `https://client.example:${port}`,
    port,
    ca: cert,
    requests,
    [Symbol.asyncDispose]: () => close(server),
  }
}

function makeCertificate(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'oauth-https-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const args = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ]
  const names = ['-subj', '/CN=client.example', '-addext', 'subjectAltName=DNS:client.example,IP:127.0.0.1']
  try {
    execFileSync('openssl', [...args, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
