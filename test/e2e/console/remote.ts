import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConsoleLink } from '../../../src/shared/contract/access/console-sessions.ts'
import { buildServer, echoServer } from '../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { createHome, type TestHome } from '../../helpers/daemon/mcp.ts'
import { daemon as local, show, useConsole } from './use-console.ts'

describe.runIf(CHROMIUM !== undefined)('the console of another daemon', () => {
  useConsole()
  let remote: TestDaemon
  let tunnel: Server
  let home: TestHome
  beforeAll(async () => {
    remote = await startTestDaemon()
    tunnel = await forwardTo(remote.daemon.port)
    home = createHome()
  })
  afterAll(async () => {
    await remote?.close()
    tunnel?.close()
    await home?.remove()
  })

  test('mcp console opens the console of another daemon through a forwarded port', async () => {
    await buildServer(local, echoServer('local-server'))
    await buildServer(remote, echoServer('remote-server'))
    const { port } = tunnel.address() as AddressInfo
    const api = ['--api-url', `http://127.0.0.1:${port}`, '--api-key', remote.ownerKey]
    const { url } = await home.json<ConsoleLink>(['console', ...api])
    expect(new URL(url).port).toBe(String(port))
    const page = await show('/', { key: null, link: url })
    await page.getByRole('link', { name: 'remote-server' }).waitFor()
    expect(await page.getByRole('link', { name: 'local-server' }).count()).toBe(0)
    await page.getByRole('button', { name: 'New server' }).click()
    await page.getByRole('button', { name: 'Deploy to development' }).click()
    await page.getByText('Greets a person by name.').first().waitFor()
    const namesOf = async ({ api }: TestDaemon) =>
      (await api('GET', '/v1/deploy')).body.data.items.map(({ name }: { name: string }) => name)
    expect(await namesOf(remote)).toEqual(['greeter'])
    expect(await namesOf(local)).toEqual([])
  })
})

/** Forwards connections to a loopback port, as `ssh -L` does. */
async function forwardTo(port: number): Promise<Server> {
  const server = createServer(socket => {
    const upstream = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const)
      from.on('error', () => to.destroy()).pipe(to)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return server
}
