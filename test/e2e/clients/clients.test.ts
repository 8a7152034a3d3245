import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONFORMANCE_SERVER } from '../../fixtures/servers/conformance.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'

const INFO = { name: 'test-client', version: '1.0.0' }

let daemon: TestDaemon
let url: URL

beforeAll(async () => {
  daemon = await startTestDaemon()
  const build = await daemon.api('POST', '/v1/build', { body: CONFORMANCE_SERVER })
  const body = { mcp_id: build.body.data.mcp_id, environment: 'production' }
  url = new URL((await daemon.api('POST', '/v1/deploy', { body })).body.data.url)
})
afterAll(() => daemon.close())

/** A client of either SDK version. */
interface AnyClient {
  version(): string | undefined
  names(): Promise<string[]>
  read(uri: string): Promise<unknown>
  prompt(name: string, args: Record<string, string>): Promise<unknown>
  call(
    name: string,
    onProgress?: (progress: number) => void,
  ): Promise<{ content: unknown; isError?: unknown }>
  complete(prompt: string, argument: string, value: string): Promise<string[]>
  close(): Promise<void>
}

async function connectV1(): Promise<AnyClient> {
  const client = new ClientV1(INFO)
  const transport = new TransportV1(url)
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return {
    version: () => transport.protocolVersion,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    read: async uri => (await client.readResource({ uri })).contents[0],
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages[0]!.content,
    call: async (name, onProgress) => {
      const options = onProgress && {
        onprogress: ({ progress }: { progress: number }) => onProgress(progress),
      }
      return (await client.callTool({ name }, undefined, options)) as { content: unknown }
    },
    complete: async (prompt, argument, value) =>
      (
        await client.complete({
          ref: { type: 'ref/prompt', name: prompt },
          argument: { name: argument, value },
        })
      ).completion.values,
    close: async () => {
      await transport.terminateSession()
      await client.close()
    },
  }
}

async function connectV2(mode: 'legacy' | 'auto' | { pin: string }): Promise<AnyClient> {
  const client = new ClientV2(INFO, { versionNegotiation: { mode } })
  await client.connect(new TransportV2(url))
  return {
    version: () => client.getNegotiatedProtocolVersion(),
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    read: async uri => (await client.readResource({ uri })).contents[0],
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages[0]!.content,
    call: async (name, onProgress) =>
      client.callTool({ name }, onProgress && { onprogress: ({ progress }) => onProgress(progress) }),
    complete: async (prompt, argument, value) =>
      (
        await client.complete({
          ref: { type: 'ref/prompt', name: prompt },
          argument: { name: argument, value },
        })
      ).completion.values,
    close: () => client.close(),
  }
}

describe.each([
  ['SDK v1', '2025-11-25', connectV1],
  ['SDK v2 with its defaults', '2025-11-25', () => connectV2('legacy')],
  ['SDK v2 that probes', '2026-07-28', () => connectV2('auto')],
  ['SDK v2 in the modern era', '2026-07-28', () => connectV2({ pin: '2026-07-28' })],
])('the client from %s', (_name, version, connect) => {
  let client: AnyClient

  beforeAll(async () => {
    client = await connect()
  })
  afterAll(() => client.close())

  test(`the client speaks ${version}`, () => expect(client.version()).toBe(version))

  test('a client lists every tool', async () => {
    expect(await client.names()).toEqual(CONFORMANCE_SERVER.tools.map(({ name }) => name))
  })

  test('a client calls tools and reports a failed call', async () => {
    expect(await client.call('test_simple_text')).toMatchObject({
      content: [{ type: 'text', text: 'This is a simple text response for testing.' }],
    })
    expect((await client.call('test_error_handling')).isError).toBe(true)
    await expect(client.call('no_such_tool')).rejects.toThrow(/no_such_tool/)
  })

  test('a client receives progress', async () => {
    const seen: number[] = []
    await client.call('test_tool_with_progress', progress => seen.push(progress))
    expect(seen).toEqual([0, 50, 100])
  })

  test('a client reads a resource from a template, and gets an error for an unknown resource', async () => {
    expect(await client.read('test://template/42/data')).toMatchObject({
      uri: 'test://template/42/data',
      text: expect.stringContaining('42'),
    })
    await expect(client.read('test://nothing')).rejects.toThrow(/not found/)
  })

  test('a client fills in prompts and completes their arguments', async () => {
    const args = { arg1: 'a', arg2: 'b' }
    expect(await client.prompt('test_prompt_with_arguments', args)).toEqual({
      type: 'text',
      text: "Prompt with arguments: arg1='a', arg2='b'",
    })
    expect(await client.complete('test_prompt_with_arguments', 'arg1', 'par')).toEqual([
      'paris',
      'park',
      'party',
    ])
  })

  test('a client makes many calls in parallel', async () => {
    const results = await Promise.all(Array.from({ length: 50 }, () => client.call('test_simple_text')))
    expect(results).toHaveLength(50)
  })
})

test('a client gets the log messages of a tool before the call ends', async () => {
  const client = new ClientV1(INFO)
  const lines: unknown[] = []
  client.setNotificationHandler(
    LoggingMessageNotificationSchema,
    ({ params }) => void lines.push(params.data),
  )
  await client.connect(new TransportV1(url) as Parameters<typeof client.connect>[0])
  await client.callTool({ name: 'test_tool_with_logging' })
  expect(lines).toEqual(['Tool execution started', 'Tool processing data', 'Tool execution completed'])
  await client.close()
})
