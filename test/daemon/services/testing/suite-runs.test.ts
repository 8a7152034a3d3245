import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SuiteRunRecord } from '../../../../src/shared/contract/testing/suite-runs.ts'
import { startTestDaemon, type TestDaemon } from '../../../helpers/daemon/daemon.ts'
import { openFeed } from '../../../helpers/daemon/event-feed.ts'
import { buildServer, deploy, echoServer, suiteRun } from '../../http/fixtures.ts'

let daemon: TestDaemon
let mcpId: string
beforeAll(async () => {
  daemon = await startTestDaemon()
  mcpId = await buildServer(daemon)
})
afterAll(() => daemon.close())

const store = (body: object) => daemon.api('POST', '/api/suite-runs', { body })
const runsOf = async (server: string): Promise<SuiteRunRecord[]> =>
  (await daemon.api('GET', `/api/suite-runs?server=${server}&limit=1000`)).body.items

test('keeps the newest 100 runs of a server', async () => {
  const other = await buildServer(daemon, echoServer('other'))
  await store(suiteRun(other))
  for (let index = 0; index < 102; index++) await store(suiteRun(mcpId, { suite: `run ${index}` }))
  const suites = (await runsOf('echo')).map(({ suite }) => suite)
  expect([suites.length, suites[0], suites.at(-1)]).toEqual([100, 'run 101', 'run 2'])
  expect(await runsOf('other')).toHaveLength(1)
})

test('a run names a deployment of the tested build, and outlives both', async () => {
  const tested = await buildServer(daemon, echoServer('tested'))
  const { deployment_id: deploymentId } = await deploy(daemon, tested)
  const { status, body } = await store(suiteRun(tested, { deploymentId }))
  expect([status, body.deploymentId]).toEqual([201, deploymentId])
  expect((await store(suiteRun(mcpId, { deploymentId }))).status).toBe(404)
  await daemon.api('DELETE', '/v1/servers/tested')
  await daemon.restart()
  expect(await runsOf('tested')).toEqual([body])
})

test('the event feed shows a new run', async () => {
  const feed = await openFeed(daemon, '?types=suiteRun')
  await feed.next()
  const { body } = await store(suiteRun(mcpId, { status: 'failed' }))
  expect(await feed.next()).toMatchObject({
    type: 'suiteRun',
    action: 'created',
    id: body.id,
    status: 'failed',
  })
  feed.close()
})

test('a run keeps its suite without credentials', async () => {
  const session_data = { token: `sk-${'0'.repeat(20)}`, cart: 3 }
  const definition = { name: 'greetings', cases: [{ message: 'Say hello', context: { session_data } }] }
  const { body } = await store(suiteRun(mcpId, { definition }))
  expect(body).not.toHaveProperty('definition')
  const { body: run } = await daemon.api('GET', `/api/suite-runs/${body.id}`)
  expect(run.definition.cases).toEqual([
    { message: 'Say hello', context: { session_data: { token: '<secret>', cart: 3 } } },
  ])
  const invalid = await store({ ...suiteRun(mcpId), definition: { cases: [] } })
  expect(invalid.status).toBe(400)
})
