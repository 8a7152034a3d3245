import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts'
import { callInSession, openSession } from '../helpers/tool-call.ts'
import { buildServer, deploy, echoServer } from '../http/fixtures.ts'

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon()
})

afterAll(() => daemon.close())

describe.each(['production', 'staging', 'development'])('a session of a client in %s', environment => {
  const saying = (text: string) =>
    buildServer(
      daemon,
      echoServer(`sessions-${environment}`, {
        tools: [
          { name: 'who', description: 'Says who', inputSchema: {}, handler: { type: 'template', text } },
        ],
      }),
    )

  test('goes on through releases, a rollback and a restart of the daemon', async () => {
    const { url } = await deploy(daemon, await saying('one'), environment)
    const port = Number(new URL(url).port)
    const { sessionId } = await openSession(port)
    const who = () => callInSession(port, 'who', sessionId)
    expect(await who()).toBe('one')
    const { deployment_id: second } = await deploy(daemon, await saying('two'), environment)
    expect(await who()).toBe('two')
    await daemon.api('POST', `/v1/deploy/${second}/rollback`)
    expect(await who()).toBe(environment === 'development' ? 'two' : 'one')
    await daemon.restart()
    expect(await who()).toBe(environment === 'development' ? 'two' : 'one')
  })
})

test('a session of one environment is unknown to another one', async () => {
  const mcpId = await buildServer(daemon, echoServer('apart'))
  const [one, other] = await Promise.all(
    ['staging', 'production'].map(async environment =>
      Number(new URL((await deploy(daemon, mcpId, environment)).url).port),
    ),
  )
  const { sessionId } = await openSession(one!)
  await expect(callInSession(other!, 'say', sessionId)).rejects.toThrow('HTTP 404')
})
