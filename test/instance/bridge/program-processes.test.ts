import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { eventually } from '../../helpers/mcp.ts'
import { descendantsOf, isRunning, readProc } from '../../helpers/processes.ts'
import { callModern, FIXTURE, type ServedProgram, serveProgram } from '../../helpers/programs.ts'

let served: ServedProgram | undefined

afterEach(async () => {
  await served?.close()
  served = undefined
})

async function serve(...args: Parameters<typeof serveProgram>): Promise<ServedProgram> {
  served = await serveProgram(...args)
  return served
}

describe('what a program prints', () => {
  test('standard error is in the log, and noise on standard output hurts nothing', async () => {
    const { url, log } = await serve()
    expect(await callModern(url, 'noise')).toBe('noisy')
    expect(await callModern(url, 'stderr', { text: 'mind the gap' })).toBe('said')
    await eventually(() =>
      log().some(({ stream, message }) => stream === 'stderr' && message === 'mind the gap'),
    )
    const printed = log().filter(({ stream }) => stream === 'stdout')
    expect(printed.map(({ message }) => message)).toEqual(['hello from a print statement', '{"half": '])
  })

  test('an answer beyond the limit fails its own call', async () => {
    const { url } = await serve()
    await expect(callModern(url, 'large', { bytes: 33 * 1024 * 1024 })).rejects.toThrow(
      'at most 33554432 are passed on',
    )
    expect((await callModern(url, 'large', { bytes: 1024 * 1024 })).length).toBe(1024 * 1024)
  })
})

describe('surroundings', () => {
  test('its environment is what was declared, its own folders, and how to find commands', async () => {
    const { url, folder } = await serve({}, { env: { API_TOKEN: 'secret-1' } })
    const env = JSON.parse(await callModern(url, 'env'))
    expect(Object.keys(env).sort()).toEqual([
      'API_TOKEN',
      'HOME',
      'MCP_HOSTING_PROGRAM',
      'PATH',
      'PWD',
      'TMPDIR',
    ])
    expect(env).toMatchObject({ API_TOKEN: 'secret-1', HOME: folder, TMPDIR: join(folder, 'tmp') })
  })

  test('it runs in the folder that it names', async () => {
    const folder = join(import.meta.dirname, '..')
    const { url } = await serve({ cwd: folder })
    expect(JSON.parse(await callModern(url, 'env')).PWD).toBe(folder)
  })

  test.each([
    [
      'a command that is not there',
      { command: 'no-such-command' },
      'there is no command "no-such-command" in PATH',
    ],
    ['a folder that is not there', { cwd: '/no/such/folder' }, 'the folder /no/such/folder'],
    [
      'a program that ends',
      { command: 'sh', args: ['-c', 'echo "no luck" >&2; exit 4'] },
      'ended with exit code 4',
    ],
    ['a program that refuses', { command: 'cat', args: [] }, 'refused initialize'],
  ])('%s is told plainly', async (_what, program, reason) => {
    await expect(serve(program)).rejects.toThrow(reason)
  })
})

describe('nothing stays behind', () => {
  test('a stop ends the program with what it started, also what ignores the polite signals', async () => {
    const stubborn = `trap '' TERM; ${process.execPath} ${FIXTURE}; sleep 600`
    const { harness, url } = await serve({ command: 'sh', args: ['-c', stubborn] })
    const started = await withGrandchild(url, harness.pid)
    await harness.stop()
    await eventually(() => !started.some(isRunning))
  })

  test('when the instance is killed its programs end all the same', async () => {
    const { harness, url } = await serve()
    const started = await withGrandchild(url, harness.pid)
    process.kill(harness.pid, 'SIGKILL')
    await once(harness.child, 'exit')
    await eventually(() => !started.some(isRunning))
  })

  test('what a program left running when it ended goes with it', async () => {
    const { url, harness } = await serve()
    const started = await withGrandchild(url, harness.pid)
    const sleeper = started.find(pid => readProc(pid, 'cmdline').startsWith('sleep'))!
    await callModern(url, 'exit').catch(() => {})
    await eventually(() => !isRunning(sleeper))
  })

  test('the watch over its processes is itself watched', async () => {
    const { harness, url } = await serve()
    const findGuard = () =>
      descendantsOf(harness.pid).find(pid => readProc(pid, 'cmdline').includes('mcp-guard'))
    const guard = findGuard()!
    process.kill(guard, 'SIGKILL')
    await eventually(() => (findGuard() ?? guard) !== guard)
    const started = await withGrandchild(url, harness.pid)
    process.kill(harness.pid, 'SIGKILL')
    await eventually(() => !started.some(isRunning))
  })
})

/** All that runs below an instance, a program of its program among it. */
async function withGrandchild(url: string, instance: number): Promise<number[]> {
  await callModern(url, 'grandchild')
  return eventually(() => {
    const started = descendantsOf(instance)
    return started.some(pid => readProc(pid, 'cmdline').startsWith('sleep')) ? started : undefined
  })
}
