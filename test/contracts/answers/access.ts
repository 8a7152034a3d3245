import { expect, test } from 'vitest'
import { CONSOLE_HOST } from '../../../src/shared/names.ts'
import { echoServer } from '../../daemon/http/fixtures.ts'
import { beginSession } from '../../helpers/clients/mcp-requests.ts'
import { signInWithKey } from '../../helpers/daemon/local-sign-in.ts'
import { type Call, type Contract, deployBody } from '../contract.ts'

/** Tests MCP sessions, the clients and grants of a server with sign-in, and console sessions of browsers. */
export function testAccess(contract: Contract): void {
  const call: Call = (...input) => contract.api.call(...input)
  const deploy = async (name: string, config = {}) => {
    const { body } = await call('createBuild', {}, { body: echoServer(name) })
    const deployed = await call(
      'createDeployment',
      {},
      { body: deployBody(body.data.mcp_id, 'staging', config) },
    )
    return deployed.body.data
  }

  test('lists and ends sessions', async () => {
    const { url } = await deploy('connected')
    for (let count = 0; count < 3; count++) await beginSession(url)
    const at = { name: 'connected' }
    const { body } = await call('listSessions', at, { query: 'environment=staging&limit=2' })
    expect([body.items.length, body.unanswered]).toEqual([2, []])
    const ended = { ended: 1, unanswered: [] }
    expect((await call('endSession', { ...at, id: body.items[0].id })).body).toEqual(ended)
    expect((await call('endSession', { ...at, id: body.items[0].id })).body).toEqual({ ...ended, ended: 0 })
    expect((await call('endSessions', at, { query: 'environment=staging' })).body).toEqual({
      ...ended,
      ended: 2,
    })
  })

  test('signs a browser in to the console and out again', async () => {
    const { body: link } = await call('createConsoleLink')
    const { pathname, search, port } = new URL(link.url)
    const host = `${CONSOLE_HOST}:${port}`
    const opened = await contract.daemon.api('GET', pathname + search, { key: null, headers: { host } })
    const cookie = opened.headers['set-cookie']![0]!.split(';')[0]!
    const browser = { key: null, headers: { host, cookie, 'sec-fetch-site': 'same-origin' } }
    expect((await call('getConsoleSession', {}, browser)).body.key.name).toBe('owner')
    expect((await call('endConsoleSession', {}, browser)).status).toBe(204)
    expect((await call('endConsoleSessions')).body).toEqual({ ended: 0 })
  })

  test('lists and revokes grants, and lists and removes sign-in clients', async () => {
    const { deployment_id } = await deploy('guarded', { auth: { provider: 'local' } })
    const { body: status } = await call('getDeploymentStatus', { deployment_id })
    const { issuer } = status.data.sign_in
    for (let count = 0; count < 2; count++) await signInWithKey(issuer, contract.daemon.ownerKey)
    const at = { name: 'guarded' }
    const { body: grants } = await call('listGrants', at, { query: 'environment=staging' })
    await call('revokeGrant', { ...at, id: grants.items[0].id })
    expect((await call('listGrants', at)).body.items).toHaveLength(1)
    const { body: clients } = await call('listSignInClients', at)
    expect(clients.items.map((client: { grants: number }) => client.grants).sort()).toEqual([0, 1])
    const id = grants.items[1].clientId
    expect((await call('removeSignInClient', { ...at, id })).body).toEqual({ revokedGrants: 1 })
  })
}
