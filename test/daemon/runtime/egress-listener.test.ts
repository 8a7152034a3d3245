import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { HostProcess } from '../../../src/daemon/runtime/process/host-process.ts'
import { type FromInstance, OWN_NETWORK } from '../../../src/shared/instances/instance-protocol.ts'

const PROGRAM = fileURLToPath(new URL('../../../dist/instance.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'mcp-egress-listener-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a process with its own network hands over a listening socket and accepts no connection on it', async () => {
  const child = fork(PROGRAM, [], { execArgv: [], env: { [OWN_NETWORK]: '1' } })
  const [message, handle] = await once(child, 'message')
  expect(message).toEqual({ type: 'ready', egress: true })
  const server = createServer(socket => socket.end('from outside')).listen(handle)
  const { port } = addressOf(handle)
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  const [text] = await once(socket, 'data')
  expect(text).toBe('from outside')
  server.close()
  child.kill('SIGKILL')
  await once(child, 'exit')
})

test('a sealed process can send a handle with its first message only', async () => {
  const { messages, reason } = await run(
    'late',
    `process.send({ type: 'ready', egress: true }, listener, () => process.send({ type: 'ready', egress: true }, listener))`,
  )
  expect(messages).toEqual([{ type: 'ready', egress: true }])
  expect(reason).toBe('was killed because it sent the daemon an unexpected handle')
})

test('a sealed process that is ready without a handle cannot send one later', async () => {
  const { messages, reason } = await run(
    'second',
    `process.send({ type: 'ready' }); process.send({ type: 'ready', egress: true }, listener)`,
  )
  expect(messages).toEqual([{ type: 'ready' }])
  expect(reason).toBe('was killed because it sent the daemon an unexpected handle')
})

/** Runs this code in a sealed process with a listening socket. Returns the process's messages and the reason for its exit. */
async function run(name: string, source: string) {
  const program = join(folder, `${name}.mjs`)
  writeFileSync(
    program,
    `import { createServer } from 'node:net'
    const server = createServer().listen({ port: 0, host: '127.0.0.1' }, () => {
      const listener = server._handle
      ${source}
    })
    process.on('disconnect', () => process.exit())`,
  )
  const messages: FromInstance[] = []
  const host = new HostProcess(
    {
      id: 'inst_a',
      kind: 'sealed',
      program,
      logPath: join(folder, `${name}.log`),
      memoryLimitMb: 64,
      hangTimeoutMs: 60_000,
    },
    (message, handle) => {
      messages.push(message)
      ;(handle as { close(): void } | undefined)?.close()
    },
  )
  const { reason } = await host.ended
  return { messages, reason }
}

function addressOf(handle: { getsockname(into: object): number }): { port: number } {
  const address = { port: 0 }
  handle.getsockname(address)
  return address
}
