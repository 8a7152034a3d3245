import { expect, test } from 'vitest'
import { open, rpc } from '../../helpers/clients/mcp-requests.ts'
import { ASYNC, type Call, type Contract, deployBody } from '../contract.ts'

/** Tests deployments of the build from an earlier test. */
export function testDeployments(contract: Contract): void {
  const call: Call = (...input) => contract.api.call(...input)

  test('sets, lists and deletes entries in the store of a server', async () => {
    const { name } = (await call('getBuild', { mcp_id: contract.mcpId })).body.data
    const place = { name, environment: 'production' }
    const set = [
      { key: 'note/1', value: { text: 'é' }, expires_at: '2999-01-01T00:00:00.000Z' },
      { key: 'note/2', user: 'github|42', value: null },
      { key: 'note/3', value: [1] },
    ]
    const changed = await call('changeStoreEntries', place, { body: { set } })
    expect(changed.body.data).toMatchObject({ set: 3, deleted: 0, usage: { entries: 3 } })
    const first = (await call('listStoreEntries', place, { query: 'limit=1' })).body.data
    const second = (await call('listStoreEntries', place, { query: `limit=9&cursor=${first.next_cursor}` }))
      .body
    expect([...first.items, ...second.data.items]).toEqual([
      { ...set[0], user: null },
      { ...set[2], user: null, expires_at: null },
      { ...set[1], expires_at: null },
    ])
    const ofUser = await call('listStoreEntries', place, { query: 'prefix=note/&user=github|42' })
    expect(ofUser.body.data.items).toHaveLength(1)
    const body = { delete: set.map(({ key, user }) => ({ key, user })) }
    expect((await call('changeStoreEntries', place, { body })).body.data).toMatchObject({
      set: 0,
      deleted: 3,
    })
  })

  test('deploys a build', async () => {
    const { body } = await call('createDeployment', {}, { body: deployBody(contract.mcpId, 'production') })
    expect(body.data).toMatchObject({ status: 'deployed', deploy_time: expect.any(Number) })
    const { body: second } = await call(
      'createDeployment',
      {},
      { body: deployBody(contract.mcpId, 'production') },
    )
    contract.deploymentId = second.data.deployment_id
    const started = await call('createDeployment', {}, { body: deployBody(contract.mcpId), headers: ASYNC })
    expect(started.body.data.status).toBe('deploying')
    const { body: status } = await call('getDeploymentStatus', { deployment_id: contract.deploymentId })
    expect(status.data).toMatchObject({
      ...second.data,
      mcp_id: contract.mcpId,
      environment: 'production',
      domain: null,
      subdomain: 'echo',
    })
    await call('listDeployments', {}, { query: 'environment=production&limit=1' })
  })

  test('compares the surface of a build with that of the live deployment', async () => {
    const { body } = await call('getSurface', { mcp_id: contract.mcpId }, { query: 'environment=production' })
    expect(body.data).toMatchObject({
      mcp_id: contract.mcpId,
      items: [{ environment: 'production', breaking: false }],
    })
  })

  test('returns health, metrics and logs', async () => {
    const { body } = await call('getDeploymentHealth', { id: contract.deploymentId })
    expect(body).toMatchObject({
      deploymentId: contract.deploymentId,
      status: 'healthy',
      requests: { total: expect.any(Number) },
    })
    const { body: page } = await call(
      'getDeploymentLogs',
      { id: contract.deploymentId },
      { query: 'limit=10' },
    )
    expect(page).toMatchObject({ id: contract.deploymentId, status: 'deployed' })
    const { body: history } = await call('getDeploymentMetrics', { id: contract.deploymentId })
    expect(history).toMatchObject({ id: contract.deploymentId, stepSeconds: 60, points: expect.any(Array) })
    const { body: live } = await call('getMetrics', {}, { query: 'environment=production' })
    expect(live.deployments).toMatchObject([{ deploymentId: contract.deploymentId, instances: 1 }])
  })

  test('returns the history of a server across its releases', async () => {
    const name = { name: 'echo' }
    const { body: page } = await call('listReleases', name, { query: 'environment=production&limit=2' })
    expect(page.items).toMatchObject([
      { version: 2, deploymentId: contract.deploymentId, status: 'deployed', author: 'owner' },
      { version: 1, status: 'stopped', changes: null },
    ])
    const { body: log } = await call('getServerLog', name, { query: 'environment=production&grep=release' })
    expect(log.lines.map(({ version, release }: Record<string, number>) => [version, release])).toEqual([
      [1, 1],
      [2, 2],
    ])
    const { body: all } = await call('getAllLogs', {}, { query: 'tail=1' })
    expect(all.lines).toMatchObject([{ server: 'echo', environment: expect.any(String) }])
    const { body: metrics } = await call('getServerMetrics', name, { query: 'environment=production' })
    expect(metrics).toMatchObject({
      name: 'echo',
      items: [{ environment: 'production', releases: [{ version: 1 }, { version: 2 }] }],
    })
  })

  test('stores variables and releases them', async () => {
    const at = { name: 'echo', environment: 'production' }
    const body = { variables: { SHOP_URL: 'https://a.example', API_KEY: { value: 'x', secret: true } } }
    expect((await call('changeServerEnv', at, { body })).body.data.variables).toMatchObject([
      { name: 'API_KEY', value: null },
      { name: 'SHOP_URL', value: 'https://a.example' },
    ])
    expect((await call('getServerEnv', at)).body.data.live_deployment).toBe(contract.deploymentId)
    const live = { query: 'name=echo&environment=staging&status=deployed' }
    const countLive = async () => (await call('listDeployments', {}, live)).body.data.items.length
    await expect.poll(countLive).toBe(1)
    await call('releaseServerEnv', { ...at, environment: 'staging' }, { headers: ASYNC })
    const { body: released } = await call('releaseServerEnv', at)
    expect(released.data.status).toBe('deployed')
    contract.deploymentId = released.data.deployment_id
  })

  test('forwards messages to a server', async () => {
    const at = { name: 'echo', environment: 'production' }
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }
    const accept = { accept: 'application/json, text/event-stream' }
    const begun = await call('sendMcpMessage', at, { body: rpc('initialize', params), headers: accept })
    const headers = { ...accept, 'mcp-session-id': begun.headers['mcp-session-id'] as string }
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
    await call('sendMcpMessage', at, { body: initialized, headers })
    const { daemon, api } = contract
    const stream = await open(`${daemon.url}/api/servers/echo/mcp/production`, {
      method: 'GET',
      headers: { ...headers, 'x-api-key': daemon.ownerKey },
    })
    api.check('openMcpStream', {
      status: stream.statusCode!,
      headers: stream.headers,
      text: '',
      body: undefined,
    })
    await call('endMcpSession', at, { headers })
    stream.destroy()
  })

  test('sets, lists and removes subdomain mappings', async () => {
    await call('putMapping', { subdomain: 'team' }, { body: { deploymentId: contract.deploymentId } })
    await call('listMappings', {}, { query: 'limit=1' })
    await call('removeMapping', { subdomain: 'team' })
  })

  test('lists certificates', async () => {
    await call('listCertificates')
  })

  test('stops, starts, restarts, reconfigures, rolls back and removes a deployment', async () => {
    const first = { deployment_id: contract.deploymentId }
    const change = { config: { limits: { memory_mb: 256 } } }
    const { body: changed } = await call('reconfigureDeployment', first, { body: change })
    expect(changed.data.status).toBe('deployed')
    const at = { deployment_id: changed.data.deployment_id }
    expect((await call('getDeploymentStatus', at)).body.data.config).toMatchObject(change.config)
    expect((await call('restartDeployment', at)).body.data.status).toBe('deployed')
    expect((await call('stopDeployment', at)).body.data.status).toBe('stopped')
    expect((await call('startDeployment', at)).body.data.status).toBe('deployed')
    await call('stopDeployment', at)
    expect((await call('startDeployment', at, { headers: ASYNC })).body.data.status).toBe('deploying')
    await expect.poll(async () => (await call('getDeploymentStatus', at)).body.data.status).toBe('deployed')
    const { body } = await call('rollbackDeployment', at)
    expect(body.data.status).toBe('deployed')
    const { body: back } = await call(
      'rollbackDeployment',
      { deployment_id: body.data.deployment_id },
      { headers: ASYNC },
    )
    const settled = { deployment_id: back.data.deployment_id }
    await expect
      .poll(async () => (await call('getDeploymentStatus', settled)).body.data.status)
      .toBe('deployed')
    await call('reconfigureDeployment', settled, { body: change, headers: ASYNC })
    await call('removeDeployment', at)
  })
}
