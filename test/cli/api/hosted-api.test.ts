import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHome, type TestHome } from '../../helpers/daemon/mcp.ts'
import {
  type ContractStub,
  type StubOptions,
  startContractStub,
} from '../../helpers/services/contract-stub.ts'
import { startSdkServer } from '../../helpers/services/sdk-server.ts'

/** The CLI against an API with only the documented fields. */
let home: TestHome
let stub: ContractStub

beforeEach(() => {
  home = createHome()
})

afterEach(async () => {
  await stub?.close()
  await home.remove()
})

async function hosted(options?: StubOptions): Promise<void> {
  stub = await startContractStub(options)
  Object.assign(home.env, { MCP_API_URL: stub.url, MCP_API_KEY: stub.key })
}

function writeProject(project: Record<string, unknown> = {}): string {
  const tool = { name: 'add', description: 'Adds', inputSchema: { type: 'object' } }
  writeFileSync(
    join(home.dir, 'mcp.config.json'),
    JSON.stringify({ name: 'calc', template: 'basic', tools: [tool], ...project }),
  )
  return home.dir
}

test('build sends only documented fields and prints the response', async () => {
  await hosted()
  const record = await home.json(['build', writeProject()])
  expect(record).toEqual({
    mcp_id: 'mcp-123',
    name: 'calc',
    status: 'ready',
    url: 'https://srv-1.example.com/mcp',
    build_time: 1.5,
  })
  expect(stub.requests).toHaveLength(1)
  expect(stub.requests[0]).toMatchObject({
    method: 'POST',
    path: '/v1/build',
    headers: { authorization: `Bearer ${stub.key}`, 'content-type': 'application/json' },
    body: {
      name: 'calc',
      template: 'basic',
      tools: [{ name: 'add', description: 'Adds', inputSchema: { type: 'object' } }],
    },
  })
  expect(Object.keys(stub.requests[0]!.body as object)).toEqual(['name', 'template', 'tools'])
})

test('test sends only documented fields and no vendor key', async () => {
  await hosted()
  const env = { ...home.env, ANTHROPIC_API_KEY: 'sk-ant-of-this-shell' }
  const result = await home.json(['test', '--server', 'mcp-123', 'What is 2 + 3?'], { env })
  expect(result).toEqual({
    ai_response: 'The sum is 5.',
    tools_used: ['add'],
    resources_accessed: [],
    execution_time: 0.5,
    success_rate: 1,
  })
  const tested = stub.requests.find(({ path }) => path === '/v1/test')
  expect(tested!.body).toEqual({ mcp_id: 'mcp-123', message: 'What is 2 + 3?' })
})

test('a suite checks documented fields and names the fields that the API does not report', async () => {
  await hosted()
  const suite = (expect: unknown) => {
    const file = join(home.dir, 'suite.json')
    writeFileSync(file, JSON.stringify({ server: 'mcp-123', cases: [{ message: 'sum', expect }] }))
    return ['test', '--suite', file]
  }
  const expected = { tools: { exact: ['add'] }, reply: { contains: '5' }, seconds: 1 }
  // This API does not store runs. The command must not warn about that.
  expect(await home.mcp(suite(expected))).toMatchObject({ code: 0, stderr: '' })
  expect(stub.requests.at(-1)).toMatchObject({ method: 'POST', path: '/api/suite-runs' })
  expect((await home.mcp(suite({ tools: ['subtract'] }))).code).toBe(1)
  const unreported = await home.mcp(suite({ calls: [{ tool: 'add' }] }))
  expect(unreported).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('does not report: calls'),
  })
})

test('chat sends single messages to an API that neither streams nor keeps chats', async () => {
  await hosted()
  const { code, stdout } = await home.mcp(['chat', 'mcp-123'], { input: 'one\ntwo\n' })
  expect(code).toBe(0)
  expect(stdout.match(/The sum is 5\./g)).toHaveLength(2)
  expect(stub.requests.filter(({ path }) => path === '/v1/test')).toHaveLength(2)
})

test('text output of build shows the server, its id, its URL and the next command', async () => {
  await hosted()
  const { code, stdout, stderr } = await home.mcp(['build', writeProject()])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('Built calc in 1.5 s: 1 tool')
  expect(stdout).toContain('https://srv-1.example.com/mcp')
  expect(stdout).toContain('mcp deploy mcp-123')
})

test('a pending build is printed without waiting, because the contract has no way to query builds', async () => {
  await hosted({ buildStatus: 'building' })
  const { code, stdout } = await home.mcp(['build', writeProject()])
  expect(code).toBe(0)
  expect(stdout).toContain('Building calc')
})

test('if the build fails, build exits with 1, with the record on standard output and the error on standard error', async () => {
  await hosted({ buildStatus: 'failed' })
  const { code, stdout, stderr } = await home.mcp(['build', writeProject(), '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ mcp_id: 'mcp-123', status: 'failed' })
  expect(JSON.parse(stderr).error.message).toContain('Build of calc failed')
})

test('deploy of a build id sends the documented request', async () => {
  await hosted()
  const flags = [
    '--env',
    'production',
    '--domain',
    'mcp.example.com',
    '--min',
    '2',
    '--max',
    '5',
    '--set',
    'A=b=c',
  ]
  const record = await home.json(['deploy', 'mcp-123', ...flags])
  expect(record).toEqual({
    deployment_id: 'dep-9',
    status: 'deployed',
    url: 'https://srv-1.example.com/mcp',
    deploy_time: 2.25,
    health_check: 'https://srv-1.example.com/mcp/health',
  })
  expect(stub.requests.at(-1)!.body).toEqual({
    mcp_id: 'mcp-123',
    environment: 'production',
    config: {
      domain: 'mcp.example.com',
      scaling: { min_instances: 2, max_instances: 5 },
      env_vars: { A: 'b=c' },
    },
  })
})

test('deploy without flags sends no config', async () => {
  await hosted()
  await home.json(['deploy', 'mcp-123'])
  expect(stub.requests.at(-1)!.body).toEqual({ mcp_id: 'mcp-123', environment: 'development' })
})

test('deploy uses defaults from the project file, which flags and --env-file override', async () => {
  await hosted()
  const dir = writeProject({
    deploy: { staging: { domain: 'a.example.com', env_vars: { ONE: 'file', TWO: 'file', THREE: 'file' } } },
  })
  writeFileSync(join(dir, 'secrets.env'), '# comment\nTWO="from env file"\nTHREE=x\n')
  const flags = ['--env', 'staging', '--domain', 'b.example.com', '--env-file', join(dir, 'secrets.env')]
  await home.json(['deploy', dir, ...flags, '--set', 'THREE=flag', '--set', 'FOUR'], {
    env: { ...home.env, FOUR: 'from the shell' },
  })
  expect(stub.requests.at(-1)!.body).toEqual({
    mcp_id: 'mcp-123',
    environment: 'staging',
    config: {
      domain: 'b.example.com',
      env_vars: { ONE: 'file', TWO: 'from env file', THREE: 'flag', FOUR: 'from the shell' },
    },
  })
})

test('deploy waits while the status is deploying', async () => {
  await hosted({ deployStatus: ['deploying', 'deploying', 'deployed'] })
  const record = await home.json<{ status: string; url: string }>(['deploy', 'mcp-123'])
  expect(record.status).toBe('deployed')
  expect(record.url).toBe('https://srv-1.example.com/mcp')
  const asked = stub.requests.filter(({ path }) => path === '/v1/deploy/dep-9/status')
  expect(asked).toHaveLength(2)
})

test('deploy --no-wait requests an early response and returns it', async () => {
  await hosted({ deployStatus: ['deploying'] })
  const record = await home.json<{ status: string }>(['deploy', 'mcp-123', '--no-wait'])
  expect(record.status).toBe('deploying')
  expect(stub.requests.at(-1)).toMatchObject({ method: 'POST', headers: { prefer: 'respond-async' } })
})

test('deploy exits with 8 and suggests mcp status if the deployment takes longer than --timeout', async () => {
  await hosted({ deployStatus: ['deploying'] })
  const { code, stderr } = await home.mcp(['deploy', 'mcp-123', '--timeout', '1s'])
  expect(code).toBe(8)
  expect(stderr).toContain('mcp status dep-9')
})

test('deploy exits with 1 if the deployment fails', async () => {
  await hosted({ deployStatus: ['deploying', 'failed'] })
  const { code, stdout, stderr } = await home.mcp(['deploy', 'mcp-123', '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout).status).toBe('failed')
  expect(JSON.parse(stderr).error.next[0].command).toBe('mcp status dep-9 --health')
})

test('status shows the fields that the API sends', async () => {
  await hosted()
  expect(await home.json(['status', 'dep-9'])).toEqual({ deployment_id: 'dep-9', status: 'deployed' })
  const { stdout } = await home.mcp(['status', 'dep-9'])
  expect(stdout).toContain('dep-9 is deployed')
})

test('mcp up with a hosted API builds and deploys a server and calls a tool', async () => {
  const server = await startSdkServer()
  try {
    await hosted({ serverUrl: server.url })
    const result = await home.json<Record<string, unknown>>(['up', writeProject()])
    expect(result).toMatchObject({
      mcp_id: 'mcp-123',
      deployment_id: 'dep-9',
      url: server.url,
      health_check: `${server.url}/health`,
      call: { tool: 'add', is_error: false },
    })
    expect(result.tools).toContain('add')
  } finally {
    await server.close()
  }
})

test.each([
  ['list', ['list']],
  ['status of all', ['status']],
  ['stop', ['stop', 'dep-9']],
  ['logs', ['logs', 'dep-9']],
  ['keys', ['keys', 'list']],
])(
  'a command whose operation the contract lacks exits with 4 and prints one error line: %s',
  async (_name, args) => {
    await hosted()
    const { code, stdout, stderr } = await home.mcp([...args, '--json'])
    expect(code).toBe(4)
    expect(stdout).toBe('')
    expect(JSON.parse(stderr).error.code).toMatch(/NOT_FOUND|METHOD_NOT_ALLOWED/)
  },
)
