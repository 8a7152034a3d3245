import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHome, MCP_BIN, runToEnd, type TestHome } from '../../helpers/daemon/mcp.ts'

const weather = join(fileURLToPath(new URL('../../..', import.meta.url)), 'examples', 'weather')

let home: TestHome
beforeAll(() => {
  home = createHome()
})
afterAll(() => home.remove())

async function suggestions(...words: string[]): Promise<string[]> {
  const { stdout, code, stderr } = await home.mcp(['__complete', '--', ...words])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
    .split('\n')
    .filter(Boolean)
    .map(line => line.split('\t')[0]!)
}

describe('completion', () => {
  it.each([
    [['dep'], ['deploy']],
    [
      ['daemon', 'st'],
      ['start', 'stop', 'status'],
    ],
    [['deploy', '--env', 'p'], ['production']],
    [
      ['deploy', '--e'],
      ['--env', '--env-file'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['nonsense', ''], []],
  ])('completes %j to %j', async (words, expected) => {
    expect(await suggestions(...words)).toEqual(expected)
  })

  it('hides commands that only the shell runs', async () => {
    expect(await suggestions('')).not.toContain('__complete')
  })

  it('completes servers and ids if a daemon is running, and never starts one', async () => {
    expect(await suggestions('call', '')).toEqual([])
    expect(home.discovery()).toBeUndefined()
    const built = await home.json<{ mcp_id: string }>(['build', weather])
    expect(await suggestions('call', '')).toEqual(['weather', built.mcp_id])
    expect(await suggestions('call', 'mcp_')).toEqual([built.mcp_id])
  })

  it('completes projects', async () => {
    const { id } = await home.json<{ id: string }>(['projects', 'create', 'suggested'])
    expect(await suggestions('projects', 'show', '')).toEqual(['suggested', id])
  })

  it('completion works in a real bash', async () => {
    const script = `
      source <("${process.execPath}" "${MCP_BIN}" completion bash)
      mcp() { "${process.execPath}" "${MCP_BIN}" "$@"; }
      COMP_WORDS=(mcp daemon re); COMP_CWORD=2; _mcp; echo "\${COMPREPLY[@]}"`
    expect((await runToEnd('bash', ['-c', script], { env: home.env })).stdout).toBe('restart restore\n')
  })

  it('lists the supported shells', async () => {
    const ended = await home.mcp(['completion', 'tcsh'])
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('Choose bash, zsh, fish') })
  })
})
