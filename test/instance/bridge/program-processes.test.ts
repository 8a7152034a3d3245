import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { eventually } from '../../helpers/daemon/mcp.ts'
import { callModern, FIXTURE, type ServedProgram, serveProgram } from '../../helpers/instance/programs.ts'
import { descendantsOf, isRunning, readProc } from '../../helpers/processes.ts'

let served: ServedProgram | undefined

afterEach(async () => {
  await served?.close()
  served = undefined
})

async function serve(...args: Parameters<typeof serveProgram>): Promise<ServedProgram> {
  served = await serveProgram(...args)
  return served
}

describe('output of a program', () => {
  test('standard error, and text on standard output that is not a message, are logged while calls are answered', async () => {
    const { url, log } = await serve()
    expect(await callModern(url, 'noise')).toBe('noisy')
    expect(await callModern(url, 'stderr', { text: 'mind the gap' })).toBe('said')
    await eventually(() =>
      log().some(({ stream, message }) => stream === 'stderr' && message === 'mind the gap'),
    )
    const printed = log().filter(({ stream }) => stream === 'stdout')
    expect(printed.map(({ message }) => message)).toEqual(['hello from a print statement', '{"half": '])
  })

  test('an answer above the size limit fails only its own call', async () => {
    const { url } = await serve()
    await expect(callModern(url, 'large', { bytes: 33 * 1024 * 1024 })).rejects.toThrow(
      'more than the limit of 33554432',
    )
    expect((await callModern(url, 'large', { bytes: 1024 * 1024 })).length).toBe(1024 * 1024)
  })
})

describe('environment of a program', () => {
  test('the environment of a program contains its declared variables, its own folders and the path to commands', async () => {
    const { url, folder } = await serve({}, { env: { API_TOKEN: 'secret-1' } })
    const env = JSON.parse(await callModern(url, 'env'))
    expect(Object.keys(env).sort()).toEqual([
      'API_TOKEN',
      'DATA_DIR',
      'HOME',
      'MCP_HOSTING_PROGRAM',
      'MEMORY_FILE_PATH',
      'PATH',
      'PWD',
      'TMPDIR',
    ])
    expect(env).toMatchObject({ API_TOKEN: 'secret-1', HOME: folder, TMPDIR: join(folder, 'tmp') })
  })

  test('a program runs in its configured working folder', async () => {
    const folder = join(import.meta.dirname, '..')
    const { url } = await serve({ cwd: folder })
    expect(JSON.parse(await callModern(url, 'env')).PWD).toBe(folder)
  })

  test.each([
    [
      'a missing command',
      { command: 'no-such-command' },
      /the command "no-such-command" was not found in PATH$/,
    ],
    ['a missing working folder', { cwd: '/no/such/folder' }, 'the working folder /no/such/folder'],
    [
      'a program that exits',
      { command: 'sh', args: ['-c', 'echo "no luck" >&2; exit 4'] },
      'exited with code 4',
    ],
    ['a program that rejects initialize', { command: 'cat', args: [] }, 'refused initialize'],
  ])('a failed start of a program reports its reason: %s', async (_what, program, reason) => {
    await expect(serve(program)).rejects.toThrow(reason)
  })
})

describe('clean-up of a program', () => {
  test('stopping an instance kills its program with all processes, even if they ignore SIGTERM', async () => {
    const stubborn = `trap '' TERM; ${process.execPath} ${FIXTURE}; sleep 600`
    const { harness, url } = await serve({ command: 'sh', args: ['-c', stubborn] })
    const started = await withGrandchild(url, harness.pid)
    await harness.stop()
    await eventually(() => !started.some(isRunning))
  })

  test('programs stop when their instance is killed', async () => {
    const { harness, url } = await serve()
    const started = await withGrandchild(url, harness.pid)
    process.kill(harness.pid, 'SIGKILL')
    await once(harness.child, 'exit')
    await eventually(() => !started.some(isRunning))
  })

  test('processes that a program leaves behind are killed', async () => {
    const { url, harness } = await serve()
    const started = await withGrandchild(url, harness.pid)
    const sleeper = started.find(pid => readProc(pid, 'cmdline').startsWith('sleep'))!
    await callModern(url, 'exit').catch(() => {})
    await eventually(() => !isRunning(sleeper))
  })

  test('the process guard is restarted when it is killed', async () => {
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

/** All descendants of an instance, including a process that its program started. */
async function withGrandchild(url: string, instance: number): Promise<number[]> {
  await callModern(url, 'grandchild')
  return eventually(() => {
    const started = descendantsOf(instance)
    return started.some(pid => readProc(pid, 'cmdline').startsWith('sleep')) ? started : undefined
  })
}
