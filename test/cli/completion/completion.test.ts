import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CommandContext } from '../../../src/cli/command-line/command-context.ts'
import { suggest } from '../../../src/cli/completion/suggest.ts'
import { homePaths } from '../../../src/shared/paths.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import { createHome, MCP_BIN, runToEnd, type TestHome } from '../../helpers/daemon/mcp.ts'
import { hasTerminals, openTerminal } from '../../helpers/daemon/terminal.ts'

const weather = join(fileURLToPath(new URL('../../..', import.meta.url)), 'examples', 'weather')

let home: TestHome

/** Completes the last word, in this process. */
async function suggestions(
  words: readonly string[],
  { apiUrl, cwd = home.dir }: { apiUrl?: string; cwd?: string } = {},
): Promise<string[]> {
  const settings = () => ({ apiUrl: apiUrl && { value: apiUrl }, context: { value: 'local' } })
  const paths = homePaths(home.env)
  const context = { settings, paths, cwd, env: home.env } as unknown as CommandContext
  return (await suggest(context, words, 30_000)).choices.map(({ value }) => value)
}

describe('without a daemon', () => {
  beforeAll(() => {
    home = createHome()
  })
  afterAll(() => home.remove())

  it.each([
    [['dep'], ['deploy']],
    [
      ['daemon', 'st'],
      ['start', 'stop', 'status'],
    ],
    [['deploy', '--env', 'p'], ['production']],
    [['call', '--env=pre'], ['--env=preview']],
    [
      ['deploy', '--e'],
      ['--env', '--env-file'],
    ],
    [['deploy', '--env', 'staging', '--env'], ['--env-file']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [
      ['connect', 'x', '--client', 'claude'],
      ['claude', 'claude-code'],
    ],
    [
      ['logs', '--level', ''],
      ['debug', 'info', 'warn', 'error'],
    ],
    [
      ['init', '--template', ''],
      ['basic', 'advanced', 'custom'],
    ],
    [['test', '--model', 'em'], ['embedded']],
    [
      ['models', 'login', ''],
      ['anthropic', 'openai'],
    ],
    [['context', 'use', ''], ['local']],
    [['nonsense', ''], []],
  ])('completes %j to %j', async (words, expected) => {
    expect(await suggestions(words)).toEqual(expected)
  })

  it('hides commands that only the shell runs', async () => {
    expect(await suggestions([''])).not.toContain('__complete')
  })

  it('starts no daemon, and lets the shell complete file names only where a file is expected', async () => {
    expect(await home.mcp(['__complete', '--', 'call', ''])).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await home.mcp(['__complete', '--', 'export', 'x', '--out', ''])).toMatchObject({
      code: 1,
      stdout: '',
    })
    expect(existsSync(join(home.dir, 'daemon.json'))).toBe(false)
    expect(await suggestions(['call', ''], { apiUrl: 'http://127.0.0.1:9' })).toEqual([])
  })
})

describe('with a daemon', () => {
  let deployed: { mcp_id: string; deployment_id: string }
  beforeAll(async () => {
    home = await startHome()
    deployed = await home.json(['up', weather])
    await home.json(['env', 'set', 'weather', 'CITY=Oslo', 'UNITS=metric'])
    await home.json(['domains', 'add', 'team', 'weather'])
    await home.json(['projects', 'create', 'suggested'])
  })
  afterAll(() => home.remove())

  it('completes servers by name, and ids only after their prefix', async () => {
    for (const command of ['call', 'logs', 'status', 'rollback', 'export', 'connect', 'deploy'])
      expect(await suggestions([command, '']), command).toEqual(['weather'])
    expect(await suggestions(['call', 'mcp_'])).toEqual([deployed.mcp_id])
    expect(await suggestions(['logs', 'dep_'])).toEqual([deployed.deployment_id])
  })

  it.each([
    [
      ['call', 'weather', 'c'],
      ['current_weather', 'compare_cities'],
    ],
    [
      ['call', '--env', 'preview', 'weather', 'forecast', ''],
      ['city=', 'days='],
    ],
    [['call', 'weather', 'forecast', 'city=Oslo', ''], ['days=']],
    [['call', 'weather', 'forecast', 'city=Os'], ['city=Oslo']],
    [['call', 'weather', 'compare_cities', 'cities=L'], ['cities=Lima']],
    [['tools', 'weather', 'fo'], ['forecast']],
    [
      ['read', 'weather', ''],
      ['cities://all', 'weather://{city}'],
    ],
    [['prompt', 'weather', ''], ['plan_a_day']],
    [['prompt', 'weather', 'plan_a_day', 'ci'], ['city=']],
    [['env', 'unset', 'weather', 'CITY', ''], ['UNITS']],
    [['domains', 'remove', ''], ['team']],
    [['keys', 'revoke', ''], ['owner']],
    [['projects', 'show', ''], ['suggested']],
    [['chats', 'show', ''], []],
    [['call', 'nope', ''], []],
  ])('completes %j to %j', async (words, expected) => {
    expect(await suggestions(words)).toEqual(expected)
  })

  it('completes servers and the variables of the project in the current folder', async () => {
    const here = (...words: string[]) => suggestions(['env', 'unset', ...words], { cwd: weather })
    expect(await here('')).toEqual(['weather', 'CITY', 'UNITS'])
    expect(await here('CITY', '')).toEqual(['UNITS'])
    expect(await here('weather', 'UNITS', '')).toEqual(['CITY'])
    expect(await suggestions(['env', 'unset', ''])).toEqual(['weather'])
  })

  /** Command line of the real `mcp`. The functions for bash and zsh use it only for completion, and print other command lines. */
  const BODY = `"${process.execPath}" "${MCP_BIN}"`
  const shells = {
    bash: {
      command: (file: string) => `bash --rcfile ${file} -i`,
      text: (
        script: string,
      ) => `mcp() { if [ "$1" = __complete ]; then ${BODY} "$@"; else echo "RAN <$*>"; fi; }
${script}
PS1='ready> '`,
    },
    zsh: {
      command: (file: string) => `ZDOTDIR=${join(file, '..')} zsh -i`,
      text: (
        script: string,
      ) => `mcp() { if [[ "$1" == __complete ]]; then ${BODY} "$@"; else print -r -- "RAN <$*>"; fi; }
autoload -Uz compinit && compinit -u -D
${script}
PS1='ready> '`,
    },
  }

  for (const [shell, { command, text }] of Object.entries(shells))
    it.runIf(hasTerminals && hasShell(shell))(
      `completes a tool, an argument and its value with Tab in ${shell} (skipped if it is not installed)`,
      async () => {
        const { stdout: script } = await home.mcp(['completion', shell])
        const file = join(home.dir, '.zshrc')
        writeFileSync(file, text(script))
        const terminal = openTerminal(command(file), home.env, home.dir)
        try {
          await terminal.expects('ready> ', 'mcp call wea\t')
          await terminal.expects('weather', 'fore\t')
          await terminal.expects('cast', 'ci\t')
          await terminal.expects('ty=', 'New\t\n')
          await terminal.expects('RAN <call weather forecast city=New York>', 'exit\n')
          await terminal.ended
        } finally {
          terminal.child.kill('SIGKILL')
        }
      },
    )

  it.runIf(hasShell('fish'))('completes tools and files in fish (skipped if not installed)', async () => {
    const script = `function mcp; ${BODY} $argv; end
mcp completion fish | source
for line in "call weather fo" "call weather forecast " "call weather forecast city=Os" "export --out ${weather}/mcp."
  complete -C "mcp $line"
end`
    const { stdout } = await runToEnd('fish', ['--no-config', '-c', script], { env: home.env, cwd: home.dir })
    const lines = stdout.split('\n').map(line => line.split('\t')[0])
    expect(lines).toEqual(['forecast', 'city=', 'days=', 'city=Oslo', `${weather}/mcp.config.json`, ''])
  })

  describe('with sign-in', () => {
    beforeAll(() => home.json(['deploy', 'weather', '--env', 'staging', '--auth', 'local']))

    it.each([
      ['call', 'fo', 'forecast'],
      ['read', 'cities', 'cities://all'],
      ['read', 'weather', 'weather://{city}'],
      ['prompt', '', 'plan_a_day'],
    ])('completes %s %j from the build of a server with sign-in', async (command, typed, expected) => {
      expect(await suggestions([command, 'weather', '--env', 'staging', typed])).toEqual([expected])
    })
  })
})

it('mcp completion rejects an unknown shell and lists the supported ones', async () => {
  const ended = await home.mcp(['completion', 'tcsh'])
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('Choose bash, zsh, fish') })
})

function hasShell(name: string): boolean {
  return spawnSync(name, ['-c', 'exit 0']).status === 0
}
