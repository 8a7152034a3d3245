import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Bundler } from '../../../src/daemon/builder/project/bundler.ts'
import { eventually } from '../../helpers/mcp.ts'
import { descendants } from '../../helpers/programs.ts'

const OPTIONS = { stdin: { contents: 'export default 1 + 1' }, write: false } as const

const bundlerProcesses = () =>
  descendants(process.pid).filter(pid => commandOf(pid).includes('esbuild')).length

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // it ended while we looked
  }
}

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
