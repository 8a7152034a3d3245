import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import {
  type ChannelLimits,
  DESCRIBING_LIMITS,
  SEALED_LIMITS,
} from '../../src/daemon/engine/channel-limits.ts'
import { guardChannel } from '../../src/daemon/engine/guarded-channel.ts'

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** A child whose channel is guarded, and what was found of it. */
function start(source: string, limits?: () => ChannelLimits, handles?: Parameters<typeof guardChannel>[2]) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  children.push(child)
  const heard: unknown[] = []
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
  child.on('message', message => heard.push(message))
  return { child, heard, violations, violated }
}

const WRITE = `import { writeSync } from 'node:fs'; const write = text => { for (;;) try { return writeSync(3, text) } catch (error) { if (error.code !== 'EAGAIN') throw error } };`
const WRITE_ALL = `const writeAll = text => { for (let rest = text; rest.length > 0; ) rest = rest.slice(write(rest)) };`
const STAY = 'setInterval(() => {}, 1000);'

test('messages come through, with the handles that are sent along', async () => {
  const { child, heard, violations } = start(
    `import { createServer } from 'node:net'; process.send({ a: 1 }); const server = createServer(); server.listen(0, () => process.send('with', server)); ${STAY}`,
  )
  child.on('message', (_message, handle) => (handle as { close?(): void } | undefined)?.close?.())
  while (heard.length < 2) await once(child, 'message')
  expect(heard).toEqual([{ a: 1 }, 'with'])
  expect(violations).toEqual([])
})

test.each([
  ['what is no JSON', `write('nonsense\\n')`, 'sent the daemon what is no message'],
  [
    'an acknowledgement that nobody waits for',
    `write('{"cmd":"NODE_HANDLE_ACK"}\\n')`,
    "sent the daemon a forged message of Node's own",
  ],
  [
    'a message without an end',
    `const part = 'x'.repeat(1024 * 1024); for (;;) write(part)`,
    'sent the daemon a message of more than 32 MB',
  ],
  [
    'messages without pause',
    `const many = '{"type":"ready"}\\n'.repeat(1000); for (;;) write(many)`,
    'sent the daemon more than 20000 messages a second',
  ],
  [
    "messages of Node's own without pause",
    `const many = '{"cmd":"NODE_OTHER"}\\n'.repeat(1000); for (;;) write(many)`,
    'sent the daemon more than 20000 messages a second',
  ],
])('%s is told once, and nothing of the child is heard after it', async (_name, act, told) => {
  const { child, heard, violations, violated } = start(`${WRITE} ${act}; ${STAY}`)
  await violated
  const heardUntilThen = heard.length
  child.kill('SIGKILL')
  await once(child, 'close')
  expect(violations).toEqual([told])
  expect(heard).toHaveLength(heardUntilThen)
})

test.each([
  [
    'a large message when none is expected',
    `write('['); for (;;) write('"' + 'x'.repeat(65536) + '",')`,
    SEALED_LIMITS,
    'sent the daemon a message of more than 2 MB',
  ],
  [
    'a message of very many objects',
    `const part = '{},'.repeat(20_000); write('['); for (;;) write(part)`,
    SEALED_LIMITS,
    'sent the daemon a message of more than 200000 values',
  ],
  [
    'a message of brackets where a large one is expected',
    `const part = '['.repeat(60_000); for (;;) write(part)`,
    DESCRIBING_LIMITS,
    'sent the daemon a message of more than 1000000 values',
  ],
  [
    'messages of 64 KB without pause',
    `const part = JSON.stringify({ type: 'alive', x: 'x'.repeat(65_000) }) + '\\n'; for (;;) writeAll(part)`,
    SEALED_LIMITS,
    'sent the daemon more than 8 MB a second',
  ],
])('%s ends a process with user code before it is parsed', async (_name, act, limits, reason) => {
  const { child, heard, violations, violated } = start(`${WRITE} ${WRITE_ALL} ${act}; ${STAY}`, () => limits)
  await violated
  child.kill('SIGKILL')
  await once(child, 'close')
  expect(violations).toEqual([reason])
  // What one second may hold, in messages of 65,000 bytes, and as much again where the flood meets the turn of a second.
  expect(heard.length).toBeLessThanOrEqual((2 * limits.bytesASecond) / 65_000)
})

test('a description of several MB gets through where it is expected', async () => {
  const { child, heard, violations } = start(
    `process.send({ type: 'described', text: 'x'.repeat(5_000_000) }); ${STAY}`,
    () => DESCRIBING_LIMITS,
  )
  await once(child, 'message')
  expect(heard).toHaveLength(1)
  expect(violations).toEqual([])
})

test('a process that has no descriptor left for connections is ended after a few of them', async () => {
  const { violations, violated } = start(
    `${WRITE} for (let i = 0; i < 30; i++) write('{"cmd":"NODE_HANDLE_NACK"}\\n'); ${STAY}`,
    undefined,
    { settles: () => true },
  )
  await violated
  expect(violations).toEqual(['had no file descriptor left for a connection'])
})

test('the end of a child is seen as ever', async () => {
  const { child, violations } = start('process.disconnect()')
  await once(child, 'disconnect')
  await once(child, 'close')
  expect(violations).toEqual([])
})
