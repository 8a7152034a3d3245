import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import {
  type ChannelLimits,
  DESCRIBING_LIMITS,
  SEALED_LIMITS,
} from '../../../src/daemon/engine/channel-limits.ts'
import { guardChannel } from '../../../src/daemon/engine/guarded-channel.ts'

const children: ChildProcess[] = []
afterEach(() => {
  vi.restoreAllMocks()
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** Starts a child with a guarded channel. Returns the child, its messages and its violations. */
function start(source: string, limits?: () => ChannelLimits, handles?: Parameters<typeof guardChannel>[2]) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  children.push(child)
  const received: unknown[] = []
  const violations: string[] = []
  const violated = new Promise<void>(resolve =>
    guardChannel(
      child,
      what => {
        violations.push(what)
        resolve()
      },
      handles,
      limits,
    ),
  )
  child.on('message', message => received.push(message))
  return { child, received, violations, violated }
}

const WRITE = `import { writeSync } from 'node:fs'; const write = text => { for (;;) try { return writeSync(3, text) } catch (error) { if (error.code !== 'EAGAIN') throw error } };`
const WRITE_ALL = `const writeAll = text => { for (let rest = text; rest.length > 0; ) rest = rest.slice(write(rest)) };`
const STAY = 'setInterval(() => {}, 1000);'

test('valid messages arrive with their handles', async () => {
  const { child, received, violations } = start(
    `import { createServer } from 'node:net'; process.send({ a: 1 }); const server = createServer(); server.listen(0, () => process.send('with', server)); ${STAY}`,
  )
  child.on('message', (_message, handle) => (handle as { close?(): void } | undefined)?.close?.())
  while (received.length < 2) await once(child, 'message')
  expect(received).toEqual([{ a: 1 }, 'with'])
  expect(violations).toEqual([])
})

test.each([
  ['invalid JSON', `write('nonsense\\n')`, 'sent the daemon a malformed message'],
  [
    'an unexpected acknowledgement',
    `write('{"cmd":"NODE_HANDLE_ACK"}\\n')`,
    "sent the daemon a forged message of Node's internal protocol",
  ],
  [
    'an endless message',
    `const part = 'x'.repeat(1024 * 1024); for (;;) write(part)`,
    'sent the daemon a message of more than 32 MB',
  ],
  [
    'a flood of messages',
    `const many = '{"type":"ready"}\\n'.repeat(1000); for (;;) write(many)`,
    'sent the daemon more than 20000 messages per second',
  ],
  [
    "a flood of messages in Node's internal protocol",
    `const many = '{"cmd":"NODE_OTHER"}\\n'.repeat(1000); for (;;) write(many)`,
    'sent the daemon more than 20000 messages per second',
  ],
])('%s is reported once, and later messages from the child are ignored', async (_name, act, reason) => {
  const { child, received, violations, violated } = start(`${WRITE} ${act}; ${STAY}`)
  await violated
  const receivedBefore = received.length
  child.kill('SIGKILL')
  await once(child, 'close')
  expect(violations).toEqual([reason])
  expect(received).toHaveLength(receivedBefore)
})

test.each([
  [
    'a large message from a process that serves',
    `write('['); for (;;) write('"' + 'x'.repeat(65536) + '",')`,
    SEALED_LIMITS,
    'sent the daemon a message of more than 2 MB',
  ],
  [
    'a message with very many objects',
    `const part = '{},'.repeat(20_000); write('['); for (;;) write(part)`,
    SEALED_LIMITS,
    'sent the daemon a message of more than 200000 values',
  ],
  [
    'a message of many brackets from a process that describes a server',
    `const part = '['.repeat(60_000); for (;;) write(part)`,
    DESCRIBING_LIMITS,
    'sent the daemon a message of more than 1000000 values',
  ],
  [
    'a flood of 64 KB messages',
    `const part = JSON.stringify({ type: 'alive', x: 'x'.repeat(65_000) }) + '\\n'; for (;;) writeAll(part)`,
    SEALED_LIMITS,
    'sent the daemon more than 8 MB per second',
  ],
])('%s is reported as a violation before it is parsed', async (_name, act, limits, reason) => {
  // Stops the clock. On a busy machine, a flood might take several seconds and stay below a limit per second.
  vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  const { child, received, violations, violated } = start(
    `${WRITE} ${WRITE_ALL} ${act}; ${STAY}`,
    () => limits,
  )
  await violated
  child.kill('SIGKILL')
  await once(child, 'close')
  expect(violations).toEqual([reason])
  expect(received.length).toBeLessThanOrEqual(limits.bytesPerSecond / 65_000)
})

test('a process that describes a server can send several MB', async () => {
  const { child, received, violations } = start(
    `process.send({ type: 'described', text: 'x'.repeat(5_000_000) }); ${STAY}`,
    () => DESCRIBING_LIMITS,
  )
  await once(child, 'message')
  expect(received).toHaveLength(1)
  expect(violations).toEqual([])
})

test('a process that repeatedly fails to receive a connection because it has no free file descriptors is reported', async () => {
  const { violations, violated } = start(
    `${WRITE} for (let i = 0; i < 30; i++) write('{"cmd":"NODE_HANDLE_NACK"}\\n'); ${STAY}`,
    undefined,
    { settles: () => true },
  )
  await violated
  expect(violations).toEqual(['had no file descriptor left for a connection'])
})

test('a guarded child can disconnect and exit without a violation', async () => {
  const { child, violations } = start('process.disconnect()')
  await once(child, 'disconnect')
  await once(child, 'close')
  expect(violations).toEqual([])
})
