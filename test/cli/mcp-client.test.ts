import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callTool, getTool, withServer } from '../../src/cli/mcp-client.ts'
import { connectToServer } from '../../src/shared/mcp-connection.ts'
import { closeServer, startSdkServer } from '../helpers/sdk-server.ts'

let server: Awaited<ReturnType<typeof startSdkServer>>
beforeAll(async () => {
  server = await startSdkServer()
})
afterAll(() => server.close())

describe('MCP client', () => {
  it('speaks the newest revision the server knows', async () => {
    const connection = await connectToServer(server.url)
    expect(connection.protocolVersion).toBe('2026-07-28')
    await connection.close()
  })

  it('calls a tool and hands on its logs and progress', async () => {
    const heard: unknown[] = []
    const options = {
      onLog: (level: string, data: unknown, logger?: string) => heard.push([level, data, logger]),
      onProgress: (...progress: unknown[]) => heard.push(progress),
    }
    const result = await withServer(server.url, options, connection =>
      callTool(connection, 'work', {}, options),
    )
    expect(result.content).toEqual([{ type: 'text', text: 'worked' }])
    expect(heard).toEqual([
      ['info', 'at work', 'worker'],
      [1, 2, 'half'],
    ])
  })

  it('returns a tool error as a result', async () => {
    const result = await withServer(server.url, {}, connection => callTool(connection, 'fail', {}))
    expect(result).toMatchObject({ isError: true, content: [{ text: 'it broke' }] })
  })

  it('suggests a near tool name', async () => {
    const { tools } = await withServer(server.url, {}, ({ client }) => client.listTools())
    expect(() => getTool(tools, 'ad')).toThrow('There is no tool "ad": did you mean "add"?')
    expect(() => getTool(tools, 'something')).toThrow('There are: add, work, fail.')
  })

  it('says that an address is out of reach', async () => {
    const http = createServer()
    await new Promise<void>(done => http.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
    await closeServer(http)
    await expect(connectToServer(url)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: `${url} cannot be reached (ECONNREFUSED).`,
    })
  })

  it.each([
    [401, 'UNAUTHORIZED', 'asks for a token'],
    [404, 'NOT_FOUND', 'There is no MCP server at'],
    [503, 'UNAVAILABLE', 'does not run'],
    [500, 'UPSTREAM_FAILED', 'HTTP 500'],
  ])('tells HTTP %i as %s', async (status, code, words) => {
    const http = createServer((_request, response) => response.writeHead(status).end('no'))
    await new Promise<void>(done => http.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
    const failure = await connectToServer(url).catch(error => error)
    await closeServer(http)
    expect(failure).toMatchObject({ code })
    expect(failure.message).toContain(words)
  })
})
