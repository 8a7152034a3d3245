import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { callTool } from '../../helpers/daemon/daemon.ts'
import { createHome, eventually, MCP_BIN, type TestHome } from '../../helpers/daemon/mcp.ts'
import { createProjectFolder, type ProjectFolder } from '../../helpers/daemon/project-folder.ts'

const source = (label: string) => `
  export default {
    description: 'Adds',
    async handler({ a, b }) {
      const sum = a + b
      const inspector = await import('node:inspector').then(() => 'allowed', () => 'refused')
      return \`${label} \${sum} \${inspector}\`
    },
  }`

let home: TestHome
let project: ProjectFolder
let dev: ChildProcess
beforeAll(() => {
  home = createHome()
  project = createProjectFolder({ 'tools/add.ts': source('first'), 'mcp.config.json': config() })
})
afterEach(() => void dev.kill('SIGKILL'))
afterAll(async () => {
  await home.remove()
  project[Symbol.dispose]()
})

const config = () => JSON.stringify({ name: 'debugged', template: 'custom' })

function startDev() {
  const options = ['dev', project.path, '--json', '--inspect', '--inspect-port', '0']
  dev = spawn(process.execPath, [MCP_BIN, ...options], {
    env: home.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: dev.stdout! })[Symbol.asyncIterator]()
  return async (event: string): Promise<{ url: string }> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error(`mcp dev exited before "${event}"`)
      const parsed = JSON.parse(value)
      if (parsed.event === event) return parsed
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: messages of the protocol have many shapes.
type Message = any

/** Connects to the inspector. Returns a client of the Chrome DevTools Protocol. */
async function connect(url: string) {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  const received: Message[] = []
  const waiting = new Set<() => void>()
  socket.addEventListener('message', ({ data }) => {
    received.push(JSON.parse(String(data)))
    for (const check of waiting) check()
  })
  const find = (matches: (message: Message) => boolean) =>
    new Promise<Message>(resolve => {
      const check = () => {
        const found = received.find(matches)
        if (!found) return
        waiting.delete(check)
        resolve(found)
      }
      waiting.add(check)
      check()
    })
  let lastId = 0
  return {
    received,
    close: () => socket.close(),
    event: (method: string) => find(message => message.method === method).then(({ params }) => params),
    async send(method: string, params: object = {}) {
      const id = ++lastId
      socket.send(JSON.stringify({ id, method, params }))
      const { result, error } = await find(message => message.id === id)
      if (error) throw new Error(`${method}: ${error.message}`)
      return result
    },
  }
}

/** Position of a string in the bundle, and in the project's files. */
async function findPlace(client: Awaited<ReturnType<typeof connect>>, text: string) {
  for (const { method, params } of client.received) {
    if (method !== 'Debugger.scriptParsed' || !params.sourceMapURL.startsWith('data:')) continue
    const { scriptSource } = await client.send('Debugger.getScriptSource', { scriptId: params.scriptId })
    const before = scriptSource.slice(0, scriptSource.indexOf(text)).split('\n')
    const [lineNumber, columnNumber] = [before.length - 1, before.at(-1).length]
    const map = JSON.parse(Buffer.from(params.sourceMapURL.split(',')[1], 'base64').toString())
    const original = new SourceMap(map).findEntry(lineNumber, columnNumber)
    return { location: { scriptId: params.scriptId, lineNumber, columnNumber }, original }
  }
  throw new Error('the bundle was not found')
}

/** Earlier versions of Node forbid the inspector in isolated processes. */
const CAN_INSPECT = process.allowedNodeEnvironmentFlags.has('--allow-inspector')

test.runIf(CAN_INSPECT)(
  'a debugger stops at a breakpoint in a handler and evaluates there, while mcp dev runs',
  async () => {
    const next = startDev()
    const { url } = await next('built')
    const first = await next('debugger')
    const client = await connect(first.url)
    await client.send('Debugger.enable')
    const place = await findPlace(client, 'await import("node:inspector")')
    expect(place.original).toMatchObject({
      originalSource: expect.stringMatching(/tools\/add\.ts$/),
      originalLine: 5,
    })
    await client.send('Debugger.setBreakpoint', { location: place.location })
    const answer = callTool(url, 'add', { a: 2, b: 3 })
    const { callFrames } = await client.event('Debugger.paused')
    const { callFrameId } = callFrames[0]
    const evaluated = await client.send('Debugger.evaluateOnCallFrame', {
      callFrameId,
      expression: '(a + b) * 10',
    })
    expect(evaluated.result.value).toBe(50)
    await client.send('Debugger.resume')
    expect((await answer).content[0].text).toBe('first 5 refused')
    const log = await eventually(async () => {
      const { stdout } = await home.mcp(['logs', 'debugged', '--env', 'preview', '--json'])
      return stdout.includes('Debugger attached.') && stdout
    })
    expect(log).not.toMatch(/Debugger listening|SecurityWarning/)

    writeFileSync(join(project.path, 'tools/add.ts'), source('second'))
    const second = await next('debugger')
    expect(new URL(second.url).port).toBe(new URL(first.url).port)
    expect((await callTool(url, 'add', { a: 2, b: 3 })).content[0].text).toBe('second 5 refused')

    await home.json(['daemon', 'stop'])
    await next('stopped')
    await home.json(['daemon', 'start'])
    const third = await next('debugger')
    expect(new URL(third.url).port).toBe(new URL(first.url).port)

    dev.kill('SIGKILL')
    const isClosed = () =>
      fetch(`http://${new URL(third.url).host}/json/list`).then(
        () => false,
        () => true,
      )
    await eventually(isClosed)
    const hasNoDebugger = async () =>
      (await callTool(url, 'add', { a: 1, b: 1 }))?.content[0].text === 'second 2 allowed'
    await eventually(hasNoDebugger)
  },
)

test.runIf(CAN_INSPECT)(
  'a second mcp dev --inspect of a server fails, and the first one keeps its debugger',
  async () => {
    const next = startDev()
    const { url } = await next('built')
    const inspector = await next('debugger')
    const { port, pathname } = new URL(inspector.url)
    const second = await home.mcp(['dev', project.path, '--inspect', '--inspect-port', port], {
      ownProcess: true,
    })
    expect(second.code).toBe(5)
    expect(second.stderr).toContain(`The preview of "debugged" already has a debugger, on port ${port}.`)
    const listed = await fetch(`http://127.0.0.1:${port}/json/list`)
    expect(await listed.json()).toMatchObject([{ webSocketDebuggerUrl: expect.stringContaining(pathname) }])
    expect((await callTool(url, 'add', { a: 1, b: 1 })).content[0].text).toContain('2')
  },
)
