import { expect, test } from 'vitest'
import { Bundler } from '../../../src/daemon/builder/project/bundler.ts'
import { eventually } from '../../helpers/mcp.ts'
import { descendantsOf, readProc } from '../../helpers/processes.ts'

const OPTIONS = { stdin: { contents: 'export default 1 + 1' }, write: false } as const

const bundlerProcesses = () =>
  descendantsOf(process.pid).filter(pid => readProc(pid, 'cmdline').includes('esbuild')).length

test('its process ends when nothing was built for a while, and the next build starts one again', async () => {
  const bundler = new Bundler(20)
  await Promise.all([bundler.build(OPTIONS), bundler.build(OPTIONS)])
  expect(bundlerProcesses()).toBe(1)
  await eventually(() => bundlerProcesses() === 0)
  const { outputFiles } = await bundler.build(OPTIONS)
  expect(outputFiles![0]!.text).toContain('1 + 1')
  await eventually(() => bundlerProcesses() === 0)
})

test('a build that fails leaves it usable', async () => {
  const bundler = new Bundler(20)
  const broken = { ...OPTIONS, stdin: { contents: '(' }, logLevel: 'silent' as const }
  await expect(bundler.build(broken)).rejects.toThrow('Unexpected end of file')
  expect((await bundler.build(OPTIONS)).outputFiles).toHaveLength(1)
})
