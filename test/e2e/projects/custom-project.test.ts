import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BuildRecord } from '../../../src/shared/contract/builds/builds.ts'
import { callTool } from '../../helpers/daemon/daemon.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import type { TestHome } from '../../helpers/daemon/mcp.ts'

let home: TestHome
let folder: string
beforeAll(async () => {
  home = await startHome()
  folder = join(home.dir, 'dice')
  await home.json(['init', folder, '--template', 'custom'])
})
afterAll(() => home.remove())

describe('a new custom project', () => {
  it('mcp up builds, deploys and calls a new custom project without npm install', async () => {
    const up = await home.json<{
      tools: string[]
      call: { tool: string; result: { structuredContent: unknown } }
    }>(['up', folder])
    expect(up.tools).toEqual(['roll_dice'])
    expect(up.call).toMatchObject({
      tool: 'roll_dice',
      result: { structuredContent: { dice: [expect.any(Number), expect.any(Number)] } },
    })
  })

  it('a new custom project gets a new artifact only after a change', async () => {
    const build = () => home.json<BuildRecord>(['build', folder])
    const first = await build()
    const second = await build()
    expect(second.digest).toBe(first.digest)
    expect(second.mcp_id).not.toBe(first.mcp_id)
    expect(second).toMatchObject({
      tools: ['roll_dice'],
      resources: ['dice://odds/{sides}'],
      prompts: ['explain_odds'],
    })
    writeFileSync(
      join(folder, 'tools/flip_coin.ts'),
      `export default { description: 'Flips a coin', handler: () => 'heads' }`,
    )
    const third = await build()
    expect(third.digest).not.toBe(first.digest)
    expect(third.tools).toEqual(['flip_coin', 'roll_dice'])
  })

  it('mcp build reports the file, line and source of an error and exits with 1', async () => {
    const file = join(folder, 'tools/broken.ts')
    writeFileSync(file, `export default {\n  description: 'Breaks',\n  handler: () => (1 +,\n}\n`)
    const failed = await home.mcp(['build', folder])
    rmSync(file)
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain('The source cannot be bundled: tools/broken.ts:3:22: Unexpected ","')
    expect(failed.stderr).toContain('3 |   handler: () => (1 +,')
  })

  it('a new custom project needs no project file and is named after its package', async () => {
    const bare = join(home.dir, 'bare')
    await home.json(['init', bare, '--template', 'custom', '--tool', 'echo'])
    rmSync(join(bare, 'mcp.config.json'))
    writeFileSync(join(bare, 'package.json'), '{"name":"@acme/echoes","version":"2.1.0","type":"module"}')
    const record = await home.json<BuildRecord>(['build', bare])
    expect(record).toMatchObject({ name: 'echoes', template: 'custom', tools: ['echo'] })
    expect((await callTool(record.url, 'echo', { text: 'hey' })).content[0].text).toBe('hey')
  })

  it('an exported custom project needs only node', async () => {
    const out = join(home.dir, 'alone')
    const { files } = await home.json<{ files: string[] }>(['export', 'dice', '--bundle', '--out', out])
    expect(files.toSorted()).toEqual(readdirSync(out).toSorted())
    const child = spawn(process.execPath, ['server.mjs'], { cwd: out, env: { PORT: '0', MAX_DICE: '3' } })
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
    const { url } = JSON.parse(line)
    expect((await callTool(url, 'roll_dice', { count: 3, sides: 6 })).structuredContent.dice).toHaveLength(3)
    const refused = await callTool(url, 'roll_dice', { count: 4 })
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: 'The maximum number of dice is 3.' }],
    })
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})
