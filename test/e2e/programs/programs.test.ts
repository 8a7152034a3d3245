import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
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
import { createHome, eventually } from '../../helpers/daemon/mcp.ts'
import { callModern, FIXTURE } from '../../helpers/instance/programs.ts'
import { descendantsOf, isRunning } from '../../helpers/processes.ts'

const bin = (name: string) => fileURLToPath(new URL(`../../../node_modules/.bin/${name}`, import.meta.url))
const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/programs/${name}`, import.meta.url))

let daemon: TestDaemon
let folder: string
const clients: { close(): Promise<void> }[] = []

beforeAll(async () => {
  daemon = await startTestDaemon()
  // Not in /tmp, which a sandbox hides.
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-files-')))
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map(client => client.close()))
})
afterAll(async () => {
  await daemon.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Hosted {
  build: { mcp_id: string; status: string; error?: { message: string; details?: string } }
  deployment: { deployment_id: string; status: string; url: string }
}

async function host(
  name: string,
  program: Record<string, unknown>,
  config: Record<string, unknown> = {},
): Promise<Hosted> {
  const body = { name, template: 'custom', program: { type: 'stdio', ...program } }
  const build = (await daemon.api('POST', '/v1/build', { body })).body.data
  const request = { mcp_id: build.mcp_id, environment: 'development', config }
  const deployment = (await daemon.api('POST', '/v1/deploy', { body: request })).body.data
  return { build, deployment }
}

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
    const hosted = await host('everything', { command: bin('mcp-server-everything') })
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

  test('server-everything sends sampling, elicitation and roots requests to its client', async () => {
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
    const people = ['ada', 'grace', 'mary']
    const answers = await Promise.all(people.map(ask))
    for (const [index, texts] of answers.entries())
      for (const text of texts) {
        expect(text).toContain(people[index])
        for (const other of people.filter(name => name !== people[index])) expect(text).not.toContain(other)
      }
  })

  test('server-everything sends a resource update to the session that subscribed to it', async () => {
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

  test('server-everything sends its requests to clients of the modern era too', async () => {
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
    url = (await host('filesystem', program)).deployment.url
  })

  test('server-filesystem reads and writes only in its folder', async () => {
    writeFileSync(join(folder, 'hello.txt'), 'hello')
    const client = await connect(url)
    const path = join(folder, 'hello.txt')
    expect(textOf(await client.callTool({ name: 'read_text_file', arguments: { path } }))).toBe('hello')
    const refused = await client.callTool({ name: 'read_text_file', arguments: { path: '/etc/hostname' } })
    expect(refused.isError).toBe(true)
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
    ;({ build, deployment } = await host('memory', { command: bin('mcp-server-memory') }))
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

  test('the log says where to write when it fails to write elsewhere', async () => {
    const env_vars = { MEMORY_FILE_PATH: '/usr/memory.jsonl' }
    const other = await deploy(daemon, build.mcp_id, 'staging', { env_vars })
    const client = await connect(other.url)
    const entities = [{ name: 'Ada', entityType: 'person', observations: [] }]
    expect(await client.callTool({ name: 'create_entities', arguments: { entities } })).toMatchObject({
      isError: true,
    })
    await eventually(async () => {
      const logs = await daemon.api('GET', `/api/lambda-deploy/${other.deployment_id}/logs?limit=1000`)
      return logs.text.includes('It can write to DATA_DIR')
    })
  })
})

describe('a Python server', () => {
  test('a Python server keeps files in its home over a release and a restart of the daemon', async () => {
    const program = { command: 'python3', args: [fixture('stdio_server.py')] }
    const first = await host('python', program)
    expect(await callModern(first.deployment.url, 'add', { a: 1, b: 2 })).toBe('3')
    expect(await callModern(first.deployment.url, 'remember')).toBe('1')
    const second = await host('python', program)
    expect(second.deployment.url).toBe(first.deployment.url)
    expect(await callModern(second.deployment.url, 'remember')).toBe('2')
  })
})

describe('a program over HTTP', () => {
  test('a program over HTTP is built, deployed and called like any other server', async () => {
    const program = { type: 'http', command: process.execPath, args: [fixture('http-server.mjs')] }
    const { build, deployment } = await host('over-http', program)
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

describe('a program that fails or is not sandboxed', () => {
  test('the build of a program that is not a server fails with its output', async () => {
    const { build } = await host('no-server', {
      command: 'sh',
      args: ['-c', 'echo "no key given" >&2; exit 7'],
    })
    expect(build).toMatchObject({ status: 'failed', error: { details: 'no key given' } })
    expect(build.error?.message).toContain('exited with code 7')
  })

  test('status and log report a missing sandbox', async () => {
    const { deployment } = await host('bare', {
      command: 'node',
      args: [FIXTURE],
      isolation: { sandbox: 'off' },
    })
    const status = await daemon.api('GET', `/v1/deploy/${deployment.deployment_id}/status`)
    const gap = 'runs without a sandbox, because isolation.sandbox is "off"'
    expect(status.body.data.isolation).toEqual({ sandbox: 'none', gaps: [gap] })
    await callModern(deployment.url, 'env')
    const log = () => daemon.api('GET', `/api/lambda-deploy/${deployment.deployment_id}/logs`)
    await eventually(async () => (await log()).text.includes('the program runs without a sandbox'))
  })

  test('mcp up and mcp status report a missing sandbox', async () => {
    const home = createHome()
    // An empty PATH, so no bubblewrap.
    const options = { env: { ...home.env, PATH: dirname(process.execPath) } }
    try {
      const up = await home.mcp(['up', '--command', `node ${FIXTURE}`, '--name', 'bare'], options)
      const gap = 'runs without a sandbox, because bubblewrap is not installed here'
      expect(up.stdout).toContain(`Warning: its code ${gap}\n`)
      expect((await home.mcp(['status', 'bare'], options)).stdout).toContain(`warning its code ${gap}\n`)
      const isolation = { sandbox: 'none', gaps: [gap] }
      expect(await home.json(['status', 'bare'], options)).toMatchObject({ isolation })
    } finally {
      await home.remove()
    }
  })

  test('a build uses its variables without storing them', async () => {
    const command = {
      command: 'sh',
      args: ['-c', `test "$KEY" = k-123 && exec ${process.execPath} ${FIXTURE}`],
    }
    const body = { name: 'needs-key', template: 'custom', program: { type: 'stdio', ...command } }
    expect((await daemon.api('POST', '/v1/build', { body })).body.data.status).toBe('failed')
    const env_vars = { KEY: 'k-123' }
    const build = (await daemon.api('POST', '/v1/build', { body: { ...body, env_vars } })).body.data
    expect(build.status).toBe('ready')
    const artifact = await daemon.api('GET', `/v1/build/${build.mcp_id}/artifact`)
    expect(artifact.text).not.toContain('k-123"')
  })

  test('errors and logs hide values of variables that a program prints', async () => {
    const secret = 'hunter2-of-the-shop'
    const args = ['-e', 'console.error("cannot use " + process.env.PASS); process.exit(3)']
    const program = { type: 'stdio', command: process.execPath, args }
    const body = { name: 'tells', template: 'custom', program, env_vars: { PASS: secret } }
    const { body: answer } = await daemon.api('POST', '/v1/build', { body })
    expect(answer.data.error.details).toContain('cannot use [redacted]')
    expect(JSON.stringify(answer)).not.toContain(secret)
    const logs = readdirSync(daemon.home.logs, { recursive: true, encoding: 'utf8' })
      .map(name => join(daemon.home.logs, name))
      .filter(path => statSync(path).isFile())
    expect(logs.filter(path => readFileSync(path, 'utf8').includes(secret))).toEqual([])
  })

  test('a program gets no variables of the daemon', async () => {
    process.env.OWN_SECRET = 'of the daemon'
    const { deployment } = await host(
      'surroundings',
      { command: process.execPath, args: [FIXTURE] },
      { env_vars: { GIVEN: '1' } },
    )
    const env = JSON.parse(await callModern(deployment.url, 'env'))
    delete process.env.OWN_SECRET
    expect(env).toMatchObject({ GIVEN: '1' })
    for (const name of ['OWN_SECRET', 'MCP_HOME', 'MCP_API_KEY']) expect(env[name]).toBeUndefined()
    expect(env.HOME).toContain(join('surroundings', 'development'))
  })

  test('programs exit when the daemon is killed', async () => {
    const home = createHome()
    try {
      const command = `${process.execPath} ${FIXTURE}`
      const { url } = await home.json<{ url: string }>(['deploy', '--command', command, '--name', 'orphan'])
      await callModern(url, 'grandchild')
      const { pid } = home.discovery()!
      const started = descendantsOf(pid)
      expect(started.length).toBeGreaterThan(3)
      process.kill(pid, 'SIGKILL')
      await eventually(() => !started.some(isRunning))
    } finally {
      await home.remove()
    }
  })
})
