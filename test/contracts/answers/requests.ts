import { expect, test } from 'vitest'
import { echoServer } from '../../daemon/http/fixtures.ts'
import { callTool } from '../../helpers/daemon/daemon.ts'
import { type Call, type Contract, deployBody } from '../contract.ts'

/** Tests recorded requests. */
export function testRequests(contract: Contract): void {
  const call: Call = (...input) => contract.api.call(...input)

  test('lists, shows, exports and repeats requests', async () => {
    const { body: built } = await call('createBuild', {}, { body: echoServer('recorded') })
    const { body: made } = await call(
      'createDeployment',
      {},
      { body: deployBody(built.data.mcp_id, 'production') },
    )
    const { deployment_id: deployment, url } = made.data
    await callTool(url, 'say', { text: 'recorded' })
    const query = `deployment=${deployment}&tool=say&limit=1`
    const newest = async () => (await call('listRequests', {}, { query })).body.items[0]
    await expect.poll(newest).toMatchObject({ tool: 'say', outcome: 'ok', bodies: 'none' })
    const { id } = await newest()
    const { body: record } = await call('getRequest', { id })
    expect(record).toEqual(await newest())
    const { body: archive } = await call('exportRequests', {}, { query })
    expect(archive.log.entries).toMatchObject([{ _record: { id } }])
    const body = { arguments: { text: 'repeated' } }
    expect((await call('replayRequest', { id }, { body })).body).toMatchObject({
      replayOf: id,
      outcome: 'ok',
      result: { content: [{ text: expect.stringContaining('repeated') }] },
    })
  })
}
