import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { deploy } from '../../daemon/http/fixtures.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { eventually } from '../../helpers/daemon/mcp.ts'
import { callModern } from '../../helpers/instance/programs.ts'
import { type Hosted, host } from './hosted-program.ts'

const bin = (name: string) => fileURLToPath(new URL(`../../../node_modules/.bin/${name}`, import.meta.url))
const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/programs/${name}`, import.meta.url))

let daemon: TestDaemon
let folder: string
const clients: { close(): Promise<void> }[] = []

beforeAll(async () => {
  daemon = await startTestDaemon()
  // The sandbox hides /tmp, except for temporary folders that the arguments name.
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-files-')))
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map(client => client.close()))
})
afterAll(async () => {
  await daemon.close()
  rmSync(folder, { recursive: true, force: true })
})

async function connect(
  url: string,
  capabilities: object = {},
  prepare?: (client: Client) => void,
): Promise<Client> {
  const client = new Client({ name: 'test-client', version: '1.0.0' }, { capabilities })
  prepare?.(client)
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never)
  clients.push(client)
  return client
}

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]!.text

describe('@modelcontextprotocol/server-everything', () => {
  let build: Hosted['build']
  let url: string
  beforeAll(async () => {
    const hosted = await host(daemon, 'everything', { command: bin('mcp-server-everything') })
    build = hosted.build
    url = hosted.deployment.url
  })

  test('the build of server-everything lists its tools and records that they depend on the client', async () => {
    const artifact = (await daemon.api('GET', `/v1/build/${build.mcp_id}/artifact`)).body.data
    const names = artifact.tools.map((tool: { name: string }) => tool.name)
    expect(names).toEqual(expect.arrayContaining(['echo', 'get-sum', 'trigger-sampling-request']))
    expect(artifact.server).toMatchObject({ title: 'Everything Reference Server' })
    expect(artifact.program.isolation.children).toBe('session')
  })

  test('server-everything serves tools, progress, resources, templates, prompts and completions', async () => {
    const client = await connect(url)
    expect(client.getServerVersion()?.name).toBe('mcp-servers/everything')
    expect(client.getInstructions()).toContain('Everything')
    expect(textOf(await client.callTool({ name: 'get-sum', arguments: { a: 2, b: 3 } }))).toContain('5')
    const seen: number[] = []
    const long = { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 } }
    await client.callTool(long, undefined, { onprogress: ({ progress }) => seen.push(progress) })
    expect(seen).toEqual([1, 2])
    const { resources } = await client.listResources()
    const read = await client.readResource({ uri: resources[0]!.uri })
    expect((read.contents[0] as { text: string }).text.length).toBeGreaterThan(10)
    const dynamic = await client.readResource({ uri: 'demo://resource/dynamic/text/7' })
    expect((dynamic.contents[0] as { text: string }).text).toContain('7')
    const prompt = await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Rome' } })
    expect(JSON.stringify(prompt.messages)).toContain('Rome')
    const completed = await client.complete({
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: 'E' },
    })
    expect(completed.completion.values).toContain('Engineering')
  })

  test('server-everything sends sampling, elicitation and roots requests only to the client that calls', async () => {
    const ask = async (who: string) => {
      const client = await connect(url, { sampling: {}, elicitation: {}, roots: {} }, prepared => {
        prepared.setRequestHandler(CreateMessageRequestSchema, () => ({
          model: 'm',
          role: 'assistant' as const,
          content: { type: 'text' as const, text: `sampled by ${who}` },
        }))
        prepared.setRequestHandler(ElicitRequestSchema, () => ({
          action: 'accept' as const,
          content: { name: who },
        }))
        prepared.setRequestHandler(ListRootsRequestSchema, () => ({
          roots: [{ uri: `file:///${who}`, name: who }],
        }))
      })
      const sampled = await client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'hi' } })
      const elicited = await client.callTool({ name: 'trigger-elicitation-request', arguments: {} })
      const roots = await client.callTool({ name: 'get-roots-list', arguments: {} })
      return [sampled, elicited, roots].map(result => JSON.stringify(result.content))
    }
    const people = ['ada', 'grace']
    const answers = await Promise.all(people.map(ask))
    for (const [index, texts] of answers.entries())
      for (const text of texts) {
        expect(text).toContain(people[index])
        for (const other of people.filter(name => name !== people[index])) expect(text).not.toContain(other)
      }
  })

  test('server-everything sends a resource update to the session that subscribed to the resource', async () => {
    const updated: string[] = []
    const client = await connect(url, {}, prepared => {
      prepared.setNotificationHandler(
        ResourceUpdatedNotificationSchema,
        ({ params }) => void updated.push(params.uri),
      )
    })
    const { uri } = (await client.listResources()).resources[0]!
    await client.subscribeResource({ uri })
    await client.callTool({ name: 'toggle-subscriber-updates', arguments: {} })
    await eventually(() => updated.includes(uri))
    await client.callTool({ name: 'toggle-subscriber-updates', arguments: {} })
  })

  test('server-everything also sends elicitation requests to clients of the modern era', async () => {
    const client = new ModernClient(
      { name: 'modern', version: '1.0.0' },
      { capabilities: { elicitation: { form: {} }, sampling: {} }, versionNegotiation: { mode: 'auto' } },
    )
    client.setRequestHandler('elicitation/create', () => ({
      action: 'accept' as const,
      content: { name: 'eve' },
    }))
    await client.connect(new ModernTransport(new URL(url)))
    clients.push(client)
    const result = await client.callTool({ name: 'trigger-elicitation-request', arguments: {} })
    expect(JSON.stringify(result.content)).toContain('eve')
  })
})

describe('@modelcontextprotocol/server-filesystem', () => {
  let url: string
  beforeAll(async () => {
    const program = { command: bin('mcp-server-filesystem'), args: [folder] }
    url = (await host(daemon, 'filesystem', program)).deployment.url
  })

  test('server-filesystem reads and writes only in its folder', async () => {
    writeFileSync(join(folder, 'hello.txt'), 'hello')
    const client = await connect(url)
    const path = join(folder, 'hello.txt')
    expect(textOf(await client.callTool({ name: 'read_text_file', arguments: { path } }))).toBe('hello')
    const refused = await client.callTool({ name: 'read_text_file', arguments: { path: '/etc/hostname' } })
    expect(refused.isError).toBe(true)
    const write = (to: string) =>
      client.callTool({ name: 'write_file', arguments: { path: to, content: 'written' } })
    await write(path)
    expect(readFileSync(path, 'utf8')).toBe('written')
    expect((await write(`${folder}.txt`)).isError).toBe(true)
    expect(existsSync(`${folder}.txt`)).toBe(false)
  })

  test('server-filesystem uses the roots of each client', async () => {
    const parts = ['one', 'two'].map(name => join(folder, name))
    for (const part of parts) mkdirSync(part)
    const allowed = await Promise.all(
      parts.map(async part => {
        const client = await connect(url, { roots: {} }, prepared => {
          prepared.setRequestHandler(ListRootsRequestSchema, () => ({
            roots: [{ uri: `file://${part}`, name: part }],
          }))
        })
        return eventually(async () => {
          const text = textOf(await client.callTool({ name: 'list_allowed_directories', arguments: {} }))
          return text.includes(part) && text
        })
      }),
    )
    expect(allowed[0]).not.toContain(parts[1])
    expect(allowed[1]).not.toContain(parts[0])
  })
})

describe('@modelcontextprotocol/server-memory', () => {
  let build: Hosted['build']
  let deployment: Hosted['deployment']
  beforeAll(async () => {
    ;({ build, deployment } = await host(daemon, 'memory', { command: bin('mcp-server-memory') }))
  })

  test('one process of server-memory serves all clients, which share its data', async () => {
    const artifact = (await daemon.api('GET', `/v1/build/${build.mcp_id}/artifact`)).body.data
    expect(artifact.program.isolation.children).toBe('shared')
    const [one, other] = await Promise.all([connect(deployment.url), connect(deployment.url)])
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }]
    await one.callTool({ name: 'create_entities', arguments: { entities } })
    const found = await other.callTool({ name: 'search_nodes', arguments: { query: 'Ada' } })
    expect(textOf(found)).toContain('wrote the first program')
    const stored = join(daemon.home.state, 'memory', 'development', 'files', 'memory.jsonl')
    expect(readFileSync(stored, 'utf8')).toContain('wrote the first program')
  })

  test('the log and the failed call say where server-memory can write when it fails to write elsewhere', async () => {
    const env_vars = { MEMORY_FILE_PATH: '/usr/memory.jsonl' }
    const other = await deploy(daemon, build.mcp_id, 'staging', { env_vars })
    const client = await connect(other.url)
    const entities = [{ name: 'Ada', entityType: 'person', observations: [] }]
    const failed = await client.callTool({ name: 'create_entities', arguments: { entities } })
    expect(failed).toMatchObject({ isError: true })
    expect(JSON.stringify(failed)).toContain('Let it write to $DATA_DIR')
    await eventually(async () => {
      const logs = await daemon.api('GET', `/api/lambda-deploy/${other.deployment_id}/logs?limit=1000`)
      return logs.text.includes('It can write to DATA_DIR')
    })
  })
})

describe('a Python server', () => {
  test('a Python server keeps files in its home across a release', async () => {
    const program = { command: 'python3', args: [fixture('stdio_server.py')] }
    const first = await host(daemon, 'python', program)
    expect(await callModern(first.deployment.url, 'add', { a: 1, b: 2 })).toBe('3')
    expect(await callModern(first.deployment.url, 'remember')).toBe('1')
    const second = await host(daemon, 'python', program)
    expect(second.deployment.url).toBe(first.deployment.url)
    expect(await callModern(second.deployment.url, 'remember')).toBe('2')
  })
})

describe('a program over HTTP', () => {
  test('a program over HTTP is built, deployed and called like any other server', async () => {
    const program = { type: 'http', command: process.execPath, args: [fixture('http-server.mjs')] }
    const { build, deployment } = await host(daemon, 'over-http', program)
    const artifact = (await daemon.api('GET', `/v1/build/${build.mcp_id}/artifact`)).body.data
    expect(artifact.server).toMatchObject({
      version: '2.0.0',
      instructions: 'Over HTTP.',
    })
    const client = await connect(deployment.url)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('headers')
    const { PORT, HOST } = JSON.parse(textOf(await client.callTool({ name: 'env', arguments: {} })))
    expect(HOST).toBe('127.0.0.1')
    expect(Number(PORT)).toBeGreaterThan(0)
  })
})
