import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ModernClient } from '../../../src/cli/mcp-client/modern-client.ts'
import { modernConnection } from '../../../src/cli/mcp-client/modern-connection.ts'
import { withSdkServer } from '../../../src/cli/mcp-client/sdk-connection.ts'
import type { ServerConnection } from '../../../src/cli/mcp-client/server-connection.ts'
import type { ConnectOptions } from '../../../src/shared/mcp-client/connect.ts'
import { startSdkServer } from '../../helpers/services/sdk-server.ts'

type Use = <T>(options: ConnectOptions, work: (connection: ServerConnection) => Promise<T>) => Promise<T>

let server: Awaited<ReturnType<typeof startSdkServer>>
beforeAll(async () => {
  server = await startSdkServer()
})
afterAll(() => server.close())

const useModern: Use = (options, work) =>
  work(
    modernConnection(new ModernClient(server.url, { timeoutMs: 60_000, ...options }), {
      hasLog: options.onLog !== undefined,
    }),
  )
const useSdk: Use = (options, work) => withSdkServer(server.url, options, work)

describe.each([
  ['the modern client', useModern],
  ['the SDK', useSdk],
])('a connection through %s', (_name, use) => {
  const call = (name: string, args: Record<string, unknown>) =>
    use({}, async connection => {
      const tools = await connection.listTools()
      return connection.callTool(tools.find(tool => tool.name === name)!, args)
    })

  it('a connection lists the tools', async () => {
    const tools = await use({}, connection => connection.listTools())
    expect(tools.map(({ name }) => name)).toEqual(['add', 'work', 'fail'])
  })

  it('a connection calls a tool', async () => {
    expect((await call('add', { a: 1, b: 2 })).content).toEqual([{ type: 'text', text: '3' }])
  })

  it('a connection forwards logs and progress of a call', async () => {
    const heard: unknown[] = []
    const onLog = (level: string, data: unknown, logger?: string) => heard.push([level, data, logger])
    await use({ onLog }, async connection => {
      const [, work] = await connection.listTools()
      return connection.callTool(work!, {}, (...progress) => heard.push(progress))
    })
    expect(heard).toEqual([
      ['info', 'at work', 'worker'],
      [1, 2, 'half'],
    ])
  })

  it('a connection returns a tool error as a result', async () => {
    expect(await call('fail', {})).toMatchObject({ isError: true, content: [{ text: 'it broke' }] })
  })

  it('a connection to a server without prompts and resources lists none, and fails to read a resource', async () => {
    const found = await use({}, async connection => ({
      prompts: await connection.listPrompts(),
      resources: await connection.listResources(),
      code: await connection.readResource('a://b').catch(error => error.code),
    }))
    expect(found).toEqual({ prompts: [], resources: { resources: [], resourceTemplates: [] }, code: -32601 })
  })
})
