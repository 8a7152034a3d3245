import { fileURLToPath } from 'node:url'
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deployFolder } from '../../helpers/daemon/custom-server.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'

const PROJECT = fileURLToPath(new URL('../../../examples/conformance', import.meta.url))
const INFO = { name: 'test-client', version: '1.0.0' }
const CAPABILITIES = { sampling: {}, elicitation: { form: {} }, roots: {} }

const SAMPLE = { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'Paris' } }
const ROOTS = { roots: [{ uri: 'file:///a' }, { uri: 'file:///b' }] }
/** Fills in every text field of a form. */
const fillIn = (properties: object) => ({
  action: 'accept' as const,
  content: Object.fromEntries(Object.keys(properties).map(name => [name, `my ${name}`])),
})

let daemon: TestDaemon
let url: URL
beforeAll(async () => {
  daemon = await startTestDaemon()
  url = new URL((await deployFolder(daemon, 'asking', PROJECT)).url)
})
afterAll(() => daemon.close())

interface AskedClient {
  call(name: string, args?: Record<string, unknown>): Promise<string>
  onToolsChanged(listener: () => void): void
  close(): Promise<void>
}

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]!.text

async function connectV1(): Promise<AskedClient> {
  const client = new ClientV1(INFO, { capabilities: CAPABILITIES })
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLE)
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS)
  client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
    fillIn((params as { requestedSchema: { properties: object } }).requestedSchema.properties),
  )
  const transport = new TransportV1(url)
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return {
    call: async (name, args) => textOf(await client.callTool({ name, arguments: args })),
    onToolsChanged: listener =>
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => listener()),
    close: () => client.close(),
  }
}

async function connectV2(mode: 'legacy' | 'auto'): Promise<AskedClient> {
  let changed = () => {}
  const client = new ClientV2(INFO, {
    versionNegotiation: { mode },
    capabilities: CAPABILITIES,
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed() } },
  })
  client.setRequestHandler('sampling/createMessage', () => SAMPLE)
  client.setRequestHandler('roots/list', () => ROOTS)
  client.setRequestHandler('elicitation/create', ({ params }) =>
    fillIn((params as { requestedSchema: { properties: object } }).requestedSchema.properties),
  )
  await client.connect(new TransportV2(url))
  return {
    call: async (name, args) => textOf(await client.callTool({ name, arguments: args ?? {} })),
    onToolsChanged: listener => {
      changed = listener
    },
    close: () => client.close(),
  }
}

describe.each([
  ['SDK v1', connectV1],
  ['SDK v2 in the legacy era', () => connectV2('legacy')],
  ['SDK v2 in the modern era', () => connectV2('auto')],
] as const)('requests from a server to a real client: %s', (_name, connect) => {
  let client: AskedClient
  beforeAll(async () => {
    client = await connect()
  })
  afterAll(() => client.close())

  test('a client answers sampling, elicitation and roots requests', async () => {
    expect(await client.call('test_sampling', { prompt: 'Capital?' })).toBe('LLM response: Paris')
    expect(await client.call('test_elicitation', { message: 'Who?' })).toContain('"email":"my email"')
    expect(await client.call('test_input_required_result_list_roots')).toBe('Roots: file:///a, file:///b')
  })

  test('a client answers several questions, in parallel and in sequence', async () => {
    expect(await client.call('test_input_required_result_multiple_inputs')).toBe('Paris my name (2 roots)')
    expect(await client.call('test_input_required_result_multi_round')).toBe('my name likes my color')
  })

  test('a client answers questions that a handler returns as its result', async () => {
    expect(await client.call('test_input_required_result_request_state')).toBe('state-ok')
  })

  test('a client is notified when the list of tools changes', async () => {
    let isHeard = false
    client.onToolsChanged(() => {
      isHeard = true
    })
    // Repeated, because the client's stream may not be open yet at the first call.
    while (!isHeard) await client.call('test_trigger_tool_change')
  })
})
