import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { formFault, sampleArguments } from '../test/console/schema-form/fill.ts'

/**
 * Hosts published MCP servers of different authors with `mcp deploy --command 'npx -y …'` and uses each as a client does: lists
 * its tools, fills in the console's form for each, calls one, reads a resource, if any, and calls each tool that is not
 * destructive with a sample. Prints the table of docs/hosting-existing-servers.md and the tools that refuse their sample. Exits
 * with 1 when a server does not work. Needs the npm registry, but no other network access.
 */

const MCP = fileURLToPath(new URL('../bin/mcp.js', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'mcp-published-'))
const environment = { ...process.env, MCP_HOME: home, MCP_PORT: '0', NO_COLOR: '1' }

interface Published {
  package: string
  args?: string[]
  env?: Record<string, string>
  call: { name: string; arguments: Record<string, unknown> }
  /** Expected in the text of the result. */
  expect: RegExp
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: the folder of the program, filled in when it starts.
const HOME_NAME = '${HOME}'

const SERVERS: Published[] = [
  {
    package: '@modelcontextprotocol/server-everything@2026.8.31',
    call: { name: 'get-sum', arguments: { a: 20, b: 22 } },
    expect: /42/,
  },
  {
    package: '@modelcontextprotocol/server-memory@2026.8.31',
    call: {
      name: 'create_entities',
      arguments: { entities: [{ name: 'Ada', entityType: 'person', observations: ['mathematician'] }] },
    },
    expect: /Ada/,
  },
  {
    package: '@coo-quack/calc-mcp@2.1.1',
    call: { name: 'math', arguments: { expression: '6 * 7' } },
    expect: /42/,
  },
  {
    package: '@itseasy21/mcp-knowledge-graph@1.0.7',
    env: { MEMORY_FILE_PATH: `${HOME_NAME}/graph.jsonl` },
    call: { name: 'read_graph', arguments: {} },
    expect: /entities/,
  },
  {
    package: '@kazuph/mcp-taskmanager@1.1.1',
    env: { TASK_MANAGER_FILE_PATH: `${HOME_NAME}/tasks.json` },
    call: {
      name: 'request_planning',
      arguments: { originalRequest: 'bake', tasks: [{ title: 'mix', description: 'flour and water' }] },
    },
    expect: /mix/,
  },
  {
    package: '@bytebase/dbhub@1.4.0',
    args: ['--demo'],
    call: { name: 'execute_sql', arguments: { sql: 'select 6 * 7 as answer' } },
    expect: /42/,
  },
  {
    package: '@allpepper/memory-bank-mcp@0.2.2',
    env: { MEMORY_BANK_ROOT: HOME_NAME },
    call: { name: 'list_projects', arguments: {} },
    expect: /\[|project/i,
  },
  {
    package: '@agent-infra/mcp-server-commands@1.2.18',
    call: { name: 'run_command', arguments: { command: 'echo hosted' } },
    expect: /hosted/,
  },
  {
    package: 'mcp-server-commands@0.5.0',
    call: { name: 'run_command', arguments: { command: 'echo hosted' } },
    expect: /hosted/,
  },
  {
    package: '@cyanheads/git-mcp-server@2.15.3',
    call: { name: 'git_wrapup_instructions', arguments: { acknowledgement: 'yes' } },
    expect: /git/i,
  },
  {
    package: '@accesslint/mcp@0.11.1',
    call: { name: 'list_rules', arguments: {} },
    expect: /rule|alt|label/i,
  },
]

interface Row {
  name: string
  server: string
  tools: number
  /** Tools that refused the arguments from the form, with their error messages. */
  refusals: string[]
  answer: string
  resource: string
  seconds: number
  fault?: string
}

async function tryServer(published: Published): Promise<Row> {
  const startedAt = performance.now()
  const row: Row = {
    name: published.package,
    server: '',
    tools: 0,
    refusals: [],
    answer: '',
    resource: '',
    seconds: 0,
  }
  try {
    const deployed = await deploy(published)
    row.seconds = (performance.now() - startedAt) / 1000
    await use(published, deployed.url, row)
  } catch (error) {
    row.fault = (error as Error).message
  }
  return row
}

async function use({ call, expect }: Published, url: string, row: Row): Promise<void> {
  const client = new Client({ name: 'published-servers', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never)
  try {
    const { name, version } = client.getServerVersion()!
    row.server = `${name} ${version}`
    const { tools } = await client.listTools()
    row.tools = tools.length
    for (const tool of tools) {
      const fault = formFault(tool.inputSchema)
      if (fault) throw new Error(`The console's form for ${tool.name} ${fault}`)
    }
    const result = await client.callTool(call)
    const text = JSON.stringify(result.content)
    row.answer = call.name
    if (result.isError || !expect.test(text)) throw new Error(`${call.name} answered ${text.slice(0, 200)}`)
    if (client.getServerCapabilities()?.resources) row.resource = await readFirst(client)
    for (const tool of tools.filter(({ annotations }) => annotations?.destructiveHint !== true)) {
      const refusal = await trySample(client, tool)
      if (refusal !== undefined) row.refusals.push(`${tool.name}: ${refusal}`)
    }
  } finally {
    await client.close()
  }
}

/** Words in the error from an argument check. Other errors are about the sample, for example a file that does not exist. */
const REFUSAL = /invalid[_ ](arguments|params|type|input|enum|value)|validation|is required|-32602/i
const SAMPLE_TIMEOUT_MS = 10_000

/** Calls a tool with the arguments that the form produces. Returns the server's message if it refuses them. */
async function trySample(client: Client, { name, inputSchema }: Tool): Promise<string | undefined> {
  const args = sampleArguments(inputSchema) as Record<string, unknown>
  const text = await client
    .callTool({ name, arguments: args }, undefined, { timeout: SAMPLE_TIMEOUT_MS })
    .then(({ isError, content }) => (isError ? JSON.stringify(content) : ''))
    .catch((error: Error) => error.message)
  return REFUSAL.test(text) ? `${text.slice(0, 300)} for ${JSON.stringify(args).slice(0, 200)}` : undefined
}

async function readFirst(client: Client): Promise<string> {
  const [first] = (await client.listResources()).resources
  if (!first) return 'none listed'
  const { contents } = await client.readResource({ uri: first.uri })
  if (contents.length === 0) throw new Error(`${first.uri} is empty`)
  return first.uri
}

async function deploy({ package: spec, args = [], env = {} }: Published): Promise<{ url: string }> {
  const command = ['npx', '-y', spec, ...args].join(' ')
  const set = Object.entries(env).flatMap(([name, value]) => ['--set', `${name}=${value}`])
  return mcp(['deploy', '--command', command, ...set])
}

async function mcp<T>(args: string[]): Promise<T> {
  const child: ChildProcess = spawn(process.execPath, [MCP, ...args, '--json'], { env: environment })
  let output = ''
  let errors = ''
  child.stdout!.on('data', chunk => (output += chunk))
  child.stderr!.on('data', chunk => (errors += chunk))
  const code = await new Promise(resolve => child.once('close', resolve))
  if (code !== 0) throw new Error(errors.trim() || `mcp ${args[0]} exited with ${code}`)
  return JSON.parse(output) as T
}

function toMarkdown(rows: Row[]): string {
  const lines = rows.map(({ name, server, tools, answer, resource, seconds, fault }) =>
    fault
      ? `| ${name} | failed: ${fault.slice(0, 300)} | | | | |`
      : `| ${name} | ${server} | ${tools} | ${answer} | ${resource || '–'} | ${seconds.toFixed(1)} s |`,
  )
  return [
    '| package | says it is | tools | called | read | install, build and deploy |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}

const chosen = process.argv.slice(2)
try {
  const rows: Row[] = []
  for (const published of SERVERS)
    if (chosen.length === 0 || chosen.some(word => published.package.includes(word))) {
      rows.push(await tryServer(published))
      const { fault, refusals } = rows.at(-1)!
      console.error([fault ?? `${published.package} works`, ...refusals].join('\n  refused: '))
    }
  console.log(toMarkdown(rows))
  process.exitCode = rows.some(({ fault }) => fault) ? 1 : 0
} finally {
  await mcp(['daemon', 'stop']).catch(() => {})
  rmSync(home, { recursive: true, force: true })
}
