import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import { MCP_BIN, type TestHome } from '../../helpers/daemon/mcp.ts'
import { hasTerminals, openTerminal, type Terminal } from '../../helpers/daemon/terminal.ts'

const DOWN = '\u001b[B'

let home: TestHome
let terminal: Terminal | undefined
beforeAll(async () => {
  home = await startHome()
  writeProject('greeter', {
    tools: [
      tool(
        'greet',
        'Greets a person. In any language.',
        'Hello {{ name }} {{ polite }} {{ times }} {{ mood }}',
        {
          name: { type: 'string', description: 'Who is greeted' },
          polite: { type: 'boolean' },
          times: { type: 'integer', default: 2 },
          mood: { type: 'string', enum: ['glad', 'sad'] },
        },
      ),
      tool('wave', 'Waves.', 'waved'),
    ],
    resources: [
      { uri: 'note://{day}', name: 'note', description: 'Note of a day', text: 'note of {{ day }}' },
    ],
    prompts: [
      {
        name: 'welcome',
        description: 'Welcomes',
        arguments: [{ name: 'who', required: true }, { name: 'tone' }],
        messages: [{ role: 'user', content: { type: 'text', text: 'Welcome {{ who }}' } }],
      },
    ],
  })
  await home.json(['up', 'greeter'], { cwd: home.dir })
})
afterEach(() => void terminal?.child.kill('SIGKILL'))
afterAll(() => home.remove())

function tool(name: string, description: string, text: string, properties: Record<string, object> = {}) {
  const inputSchema = { type: 'object', properties, required: 'name' in properties ? ['name'] : [] }
  return { name, description, inputSchema, handler: { type: 'template', text } }
}

function writeProject(name: string, definitions: object): void {
  mkdirSync(join(home.dir, name), { recursive: true })
  const config = { name, template: 'basic', ...definitions }
  writeFileSync(join(home.dir, name, 'mcp.config.json'), JSON.stringify(config))
}

function open(command: string): Terminal {
  terminal = openTerminal(`${process.execPath} ${MCP_BIN} ${command}`, home.env, home.dir)
  return terminal
}

describe('without a terminal', () => {
  test('uses the only server, and lists the known tools or arguments if one is missing', async () => {
    const call = await home.mcp(['call'], { cwd: home.dir })
    expect(call).toMatchObject({ code: 2, stdout: '' })
    expect(call.stderr).toContain('Using greeter, the only server.')
    expect(call.stderr).toContain('Missing <tool>. Tools of greeter: greet, wave.')
    const greet = await home.mcp(['call', 'greeter', 'greet', 'mood=glad'], { cwd: home.dir })
    expect([greet.code, greet.stdout]).toEqual([2, ''])
    expect(greet.stderr).toContain(
      'Missing name. Arguments of greet: name (string, required), polite (boolean), times (integer), mood (string).',
    )
    expect(greet.stderr).toContain('mcp tools greeter greet')
    const welcome = await home.mcp(['prompt', 'greeter', 'welcome'], { cwd: home.dir })
    expect([welcome.code, welcome.stderr]).toEqual([
      2,
      expect.stringContaining('Missing who. Arguments of welcome: who (string, required), tone (string).'),
    ])
    const set = await home.mcp(['store', 'set', 'greeter'], { cwd: home.dir })
    expect([set.code, set.stderr]).toEqual([2, expect.stringContaining('Missing <key> and <value>.')])
    const read = await home.mcp(['read', 'greeter', '--json'], { cwd: home.dir })
    expect(JSON.parse(read.stderr)).toMatchObject({
      error: { code: 'INVALID_REQUEST', message: 'Missing <uri>. Resources of greeter: note://{day}.' },
    })
  })

  test('the URL of an MCP server is not mistaken for an OpenAPI description', async () => {
    const { url } = await home.json<{ url: string }>(['deploy', 'greeter'])
    const init = await home.mcp(['init', 'api', '--from-openapi', url], { cwd: home.dir })
    expect(init).toMatchObject({ code: 2, stdout: '' })
    expect(init.stderr).toContain(`${url} is an MCP server, not an OpenAPI description. It needs no project.`)
    expect(init.stderr).toContain(`mcp connect ${url} --client claude-code`)
    for (const command of ['up', 'deploy'])
      expect((await home.mcp([command, url], { cwd: home.dir })).stderr).toContain(
        `${url} is a URL, expected a folder.`,
      )
    const deploy = await home.mcp(['deploy', './nope'], { cwd: home.dir })
    expect(deploy.stderr).toContain(`${join(home.dir, 'nope')} does not exist.\nCreate a project:`)
  })

  test('a command that cannot be undone requires a server argument', async () => {
    const removed = await home.mcp(['remove', '--yes'], { cwd: join(home.dir, 'greeter') })
    expect(removed).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Missing <server>. Servers: greeter.'),
    })
  })
})

describe.runIf(hasTerminals)('at a terminal', () => {
  test('init asks step by step, and lists the created files on standard output', async () => {
    const { expects, ended } = open('init desk > created')
    await expects('Name of the server (desk)', '\r')
    await expects('❯ basic     declared answers, no code', `${DOWN}${DOWN}`)
    await expects('❯ custom    handlers in TypeScript', '\r')
    await expects('Tools, separated by commas (empty: the tools of the template)', 'find it\r')
    await expects('"find it" is not a valid tool name', '\u0015find_it, buy_it\r')
    expect(await ended).toBe(0)
    const created = readFileSync(join(home.dir, 'created'), 'utf8')
    expect(created).toMatch(/^Created desk in desk:\n/)
    expect(created).toContain('\n  tools/find_it.ts\n')
    expect(readdirSync(join(home.dir, 'desk/tools')).toSorted()).toEqual(['buy_it.ts', 'find_it.ts'])
  })

  test('init asks for the OpenAPI description instead of the tools', async () => {
    const operation = { operationId: 'list', responses: { 200: { description: 'ok' } } }
    const api = {
      openapi: '3.1.0',
      info: { title: 'Shop', version: '1' },
      servers: [{ url: 'https://shop.example.com' }],
      paths: { '/goods': { get: operation } },
    }
    writeFileSync(join(home.dir, 'shop.json'), JSON.stringify(api))
    const { expects, ended } = open('init shop')
    await expects('Name of the server', '\r')
    await expects('❯ basic', `${DOWN}${DOWN}${DOWN}`)
    await expects('❯ openapi', '\r')
    await expects('File or URL of the OpenAPI description', '\r')
    await expects('Enter a path such as openapi.yaml, or a URL.', 'shop.json\r')
    await expects('Created shop in shop:')
    expect(await ended).toBe(0)
    const { tools } = JSON.parse(readFileSync(join(home.dir, 'shop/mcp.config.json'), 'utf8'))
    expect(tools).toMatchObject([{ name: 'list' }])
  })

  test('store set asks for the key and the value of an entry', async () => {
    const { expects } = open('store set greeter')
    await expects('Key (key of the entry)', 'motd\r')
    await expects('Value (JSON or text, - for standard input)', 'hello\r')
    await expects('Set motd in the development store of greeter')
  })

  test('asks for a tool, and then for its arguments one by one', async () => {
    const { expects, chooses } = open('call')
    await expects('Using greeter, the only server.')
    await expects('❯ 1  greet  Greets a person', '\r')
    await expects('name (required): Who is greeted', 'Ada\r')
    await expects('polite (optional)')
    await expects('❯ 1  true', 'fa')
    await chooses('lse', '2  false')
    await expects('times (integer, optional) (2)', 'many\r')
    await expects('not "many"', '\u00153\r')
    await expects('mood (optional)')
    await expects('❯ 1  glad', `${DOWN}`)
    await expects('❯ 2  sad', '\r')
    await expects('mcp call greeter greet name=Ada polite=false times=3 mood=sad')
    await expects('Hello Ada false 3 sad')
  })

  test('a number or part of a name selects an entry, and optional arguments can be omitted', async () => {
    const named = open('call greeter greet polite=false')
    await named.expects('name (required)', 'Ada\r')
    await named.expects('Hello Ada false')
    const numbered = open('call greeter')
    await numbered.expects('❯ 1  greet')
    await numbered.chooses('2', '2  wave')
    await numbered.expects('waved')
    const omitted = open('call greeter')
    await omitted.expects('❯ 1  greet', '\r')
    await omitted.expects('name (required)', 'Ada\r')
    await omitted.expects('❯ 1  true')
    await omitted.chooses('omit', '3  (omit)')
    await omitted.expects('times', '\r')
    await omitted.expects('❯ 1  glad')
    await omitted.chooses('(', '3  (omit)')
    await omitted.expects('mcp call greeter greet name=Ada times=2\r')
  })

  test('repeats the command line with all options and the chosen values, but without the token', async () => {
    const { expects, chooses } = open('call --timeout 90s --token secret greeter')
    await expects('❯ 1  greet')
    await chooses('2', '2  wave')
    await expects("mcp call --timeout 90s --token '<token>' greeter wave")
    await expects('waved')
  })

  test('asks for the values of a resource template and of a prompt', async () => {
    const read = open('read')
    await read.expects('❯ 1  note://{day}', '\r')
    await read.expects(/✔ Resource note[\s\S]*day/, 'new year\r')
    await read.expects("mcp read greeter 'note://new%20year'")
    await read.expects('note of new year')
    const prompt = open('prompt greeter')
    await prompt.expects('❯ 1  welcome  Welcomes', '\r')
    await prompt.expects('who (required)', 'Ada\r')
    await prompt.expects('tone (optional)', '\r')
    await prompt.expects('Welcome Ada')
  })

  test('asks for server and environment when there are several', async () => {
    writeProject('other', { tools: [tool('say', 'Says.', 'said')] })
    await home.json(['up', 'other'], { cwd: home.dir })
    await home.json(['deploy', 'greeter', '--env', 'staging'], { cwd: home.dir })
    const { expects, chooses } = open('restart')
    await expects('2  other', '\r')
    await expects('✔ Server greeter')
    await expects('❯ 1')
    await chooses('dev', '2  development')
    await expects('Restarted greeter in development')
    const piped = await home.mcp(['restart', 'greeter'], { cwd: home.dir })
    expect(piped.stderr).toContain('greeter has 2 deployments. Choose one with --env: ')
    const here = await home.mcp(['tools'], { cwd: join(home.dir, 'other') })
    expect(here).toMatchObject({ code: 0, stderr: 'Using other, the project in this folder.\n' })
  })
})
