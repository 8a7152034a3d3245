import { expect, test } from 'vitest'
import { runEsbuild } from '../../../../src/daemon/builder/project/run-esbuild.ts'
import { eventually } from '../../../helpers/daemon/mcp.ts'
import { descendantsOf, readProc } from '../../../helpers/processes.ts'

const OPTIONS = { stdin: { contents: 'export default 1 + 1' }, write: false } as const
/** A build that takes a few tenths of a second. */
const LARGE = { stdin: { contents: 'console.log(1)\n'.repeat(200_000) }, write: false } as const
const IDLE_MS = 20

const esbuilds = () => descendantsOf(process.pid).filter(pid => readProc(pid, 'cmdline').includes('esbuild'))

const build = (idleMs?: number) => runEsbuild(OPTIONS, idleMs)

test('the esbuild process stops when idle, and the next build starts a new one', async () => {
  // Test files share this process. The previous file may have left an esbuild process that is about to stop.
  await build(IDLE_MS)
  await eventually(() => esbuilds().length === 0)
  await Promise.all([build(IDLE_MS), build(IDLE_MS)])
  expect(esbuilds()).toHaveLength(1)
  await eventually(() => esbuilds().length === 0)
  const { outputFiles } = await build(IDLE_MS)
  expect(outputFiles![0]!.text).toContain('1 + 1')
  await eventually(() => esbuilds().length === 0)
})

test('the esbuild process does not stop during a build', async () => {
  await build(IDLE_MS)
  const large = runEsbuild(LARGE)
  await build(0)
  expect((await large).outputFiles).toHaveLength(1)
})

test('an esbuild process that died during or between builds is replaced', async () => {
  await build()
  const [died] = esbuilds()
  process.kill(died!, 'SIGKILL')
  const all = await Promise.all([build(), build(), build()])
  expect(all.map(({ outputFiles }) => outputFiles!.length)).toEqual([1, 1, 1])
  const [replaced] = esbuilds()
  process.kill(replaced!, 'SIGKILL')
  await eventually(() => esbuilds().length === 0)
  expect((await build(IDLE_MS)).outputFiles).toHaveLength(1)
})

test('a dead esbuild process is replaced only once', async () => {
  await build()
  const prepared = Promise.withResolvers<void>()
  const late = { name: 'late', setup: () => prepared.promise }
  const begunBefore = runEsbuild({ ...OPTIONS, plugins: [late] })
  process.kill(esbuilds()[0]!, 'SIGKILL')
  await eventually(() => esbuilds().length === 0)
  await build()
  const large = runEsbuild(LARGE)
  await build()
  prepared.resolve()
  const all = await Promise.all([begunBefore, large])
  expect(all.map(({ outputFiles }) => outputFiles!.length)).toEqual([1, 1])
})

test('the esbuild process is kept after a failed build', async () => {
  const broken = { ...OPTIONS, stdin: { contents: '(' }, logLevel: 'silent' as const }
  await expect(runEsbuild(broken)).rejects.toThrow('Unexpected end of file')
  expect((await build(IDLE_MS)).outputFiles).toHaveLength(1)
})
