import { afterEach, expect, test, vi } from 'vitest'
import { type Child, ChildSlot } from '../../../../src/instance/bridge/children/child-slot.ts'
import type { ProgramEnding } from '../../../../src/instance/bridge/process/program-process.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

interface Scripted extends Child {
  end(code: number): void
}

function createChild(): Scripted {
  const { promise, resolve } = Promise.withResolvers<ProgramEnding>()
  const child = {
    isAlive: true,
    isStopping: false,
    isBusy: false,
    ended: promise,
    end(code: number) {
      child.isAlive = false
      resolve({ code, signal: null })
    },
    async stop() {
      child.isStopping = true
      child.end(0)
    },
  }
  return child
}

function createSlot(open?: (onStarted: (child: Scripted) => void) => Promise<Scripted>) {
  const children: Scripted[] = []
  const crashes: [string, number][] = []
  const loops: string[] = []
  const slot = new ChildSlot<Scripted>({
    open:
      open ??
      (async () => {
        children.push(createChild())
        return children.at(-1)!
      }),
    onCrash: (sentence, restartMs) => crashes.push([sentence, restartMs]),
    onCrashLoop: sentence => loops.push(sentence),
  })
  return { slot, children, crashes, loops }
}

test('all callers get the same child, which is started once', async () => {
  const { slot, children } = createSlot()
  const [one, other] = await Promise.all([slot.get(), slot.get()])
  expect(one).toBe(other)
  expect(slot.get()).toBe(one)
  expect(children).toHaveLength(1)
})

test('after a crash, the next caller starts another child, without a delay after the first crash', async () => {
  const { slot, children, crashes } = createSlot()
  const first = await slot.get()
  first.end(3)
  await first.ended
  expect(slot.current).toBeUndefined()
  expect(await slot.get()).not.toBe(first)
  expect(children).toHaveLength(2)
  expect(crashes).toEqual([['exited with code 3', 0]])
})

test('five crashes right after the child became ready are a crash loop', async () => {
  vi.useFakeTimers()
  const { slot, loops } = createSlot()
  for (let count = 0; count < 5; count++) {
    const starting = slot.get()
    await vi.runAllTimersAsync()
    const child = await starting
    child.end(1)
    await child.ended
  }
  expect(loops).toEqual(['exited with code 1'])
})

test('a requested stop is not a crash', async () => {
  const { slot, crashes } = createSlot()
  const child = await slot.get()
  await slot.close()
  expect(child.isAlive).toBe(false)
  expect(crashes).toEqual([])
})

test('a slot that waits for its next start closes immediately', async () => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(1)
  const { slot, crashes } = createSlot()
  for (let count = 0; count < 2; count++) {
    const child = await slot.get()
    child.end(1)
    await child.ended
  }
  expect(crashes.map(([, restartMs]) => restartMs)).toEqual([0, 200])
  const asked = expect(slot.get()).rejects.toThrow('the server is stopping')
  await slot.close()
  await asked
})

test('a child that is still in its handshake stops with the slot', async () => {
  const child = createChild()
  const { slot } = createSlot(async onStarted => {
    onStarted(child)
    await child.ended
    throw new Error('it exited before it answered')
  })
  const asked = expect(slot.get()).rejects.toThrow('before it answered')
  await slot.close()
  await asked
  expect(child.isAlive).toBe(false)
})
