import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { COMMANDS } from '../../../src/cli/command-line/command-list.ts'
import { loadCommand } from '../../../src/cli/command-line/commands.ts'
import { QUIET_FIELDS } from '../../../src/cli/command-line/quiet-fields.ts'
import { runCommand } from '../../../src/cli/command-line/run-command.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'

const STDIO_SERVER = new URL('../../fixtures/programs/stdio-server.mjs', import.meta.url).pathname

let daemon: TestDaemon
let folder: string
beforeAll(async () => {
  daemon = await startTestDaemon({ namedPorts: { http: 0, https: 0 } })
  folder = mkdtempSync(join(tmpdir(), 'mcp-quiet-'))
  const mcpServers = { tools: { command: process.execPath, args: [STDIO_SERVER] } }
  writeFileSync(join(folder, 'servers.json'), JSON.stringify({ mcpServers }))
})
afterAll(async () => {
  await daemon.close()
  rmSync(folder, { recursive: true, force: true })
})

beforeEach(() => {
  vi.stubEnv('MCP_HOME', folder)
  vi.stubEnv('MCP_API_URL', daemon.url)
  vi.stubEnv('MCP_API_KEY', daemon.ownerKey)
  vi.stubEnv('MCP_PORT', '0')
})
afterEach(() => void vi.unstubAllEnvs())

const URL_LINE = /^http:\/\/127\.0\.0\.1:\d+\/mcp\n$/

/**
 * Test cases in the order in which they run. A case without a pattern only checks the exit code. `HOME`: a scratch folder, `API`:
 * the daemon, `LAST`: the previous output.
 */
const CASES: [args: string, prints?: RegExp][] = [
  ['init HOME/new --template basic', /^HOME\/new\n$/],
  ['build examples/weather', /^mcp_[0-9a-z]{20}\n$/],
  ['up examples/weather', URL_LINE],
  ['deploy examples/weather', URL_LINE],
  ['domains add team weather', /^http:\/\/team\.localhost:\d+\/mcp\n$/],
  ['domains list', /^team\.localhost$/m],
  ['domains certificates', /^team\.localhost$/m],
  ['domains trust', /^HOME\/tls\/authority\.pem\n$/],
  ['deploy weather --env staging', URL_LINE],
  ['list', /^weather\n$/],
  ['status weather', /^deployed\n$/],
  ['releases weather --env development', /^(dep_[0-9a-z]{20}\n){2}$/],
  ['rollback weather --env development', URL_LINE],
  ['restart weather --env staging', URL_LINE],
  ['stop weather --env staging', /^dep_[0-9a-z]{20}\n$/],
  ['status weather --env staging', /^stopped\n$/],
  ['start weather --env staging', URL_LINE],
  ['tools weather', /^(\w+\n)+$/],
  ['resources weather', /^(\w+:\/\/.+\n)+$/],
  ['prompts weather', /^(\w+\n)+$/],
  ['requests weather', /^(req_\S+\n)+$/],
  ['requests export weather -o HOME/weather.har', /^HOME\/weather\.har\n$/],
  ['sessions end --all --server weather', /^0\n$/],
  ['connect weather --client codex --print', /^\[mcp_servers\.weather\]\nurl = "http:.*"\n$/],
  ['open weather', URL_LINE],
  ['env set weather CITY=Oslo'],
  ['env list weather', /^CITY\n$/],
  ['env pull weather --file HOME/.env', /^HOME\/\.env\n$/],
  ['store set weather motd hello'],
  ['store list weather', /^motd\n$/],
  ['test --server weather hello'],
  ['chats list', /^chat_\w+\n$/],
  ['chats count LAST', /^2\n$/],
  ['projects create shop', /^\S+\n$/],
  ['projects list', /^\S+\n$/],
  ['projects show shop', /^\S+\n$/],
  ['projects update shop --description Shop', /^\S+\n$/],
  ['projects upload shop HOME/new', /^\S+\n$/],
  ['projects build shop --no-wait', /^bld_\w+\n$/],
  ['projects builds shop', /^bld_\w+\n$/],
  ['projects archive shop', /^\S+\n$/],
  ['export weather --out HOME/exported', /^HOME\/exported\n$/],
  ['import HOME/servers.json', URL_LINE],
  ['whoami', /^.+\n$/],
  ['console', /^http:\/\/console\.mcp-hosting\.localhost:\d+\/console\/sign-in\?code=\S+\n$/],
  ['keys create --name ci', /^\S{20,}\n$/],
  ['keys list', /^(\S+\n){2,}$/],
  ['login --context here --api-url API', /^here\n$/],
  ['context list', /^here\nlocal\n$|^local\nhere\n$/],
  ['context show', /^http:\/\/127\.0\.0\.1:\d+\n$/],
  ['models list', /^embedded\n$/],
  ['daemon backup', /^\/.*\.db\n$/],
  ['daemon start', /^http:\/\/127\.0\.0\.1:\d+\n$/],
  ['daemon status', /^http:\/\/127\.0\.0\.1:\d+\n$/],
  ['daemon restart', /^http:\/\/127\.0\.0\.1:\d+\n$/],
  ['daemon stop'],
]

let last = ''

test.each(CASES)('mcp %s -q succeeds and prints only its result', async (line, prints) => {
  const words = line.replace('API', daemon.url).replace('LAST', last).replaceAll('HOME', folder).split(' ')
  const find = (wanted: string) => COMMANDS.find(({ name }) => name === wanted)
  const entry = (find(words.slice(0, 2).join(' ')) ?? find(words[0]!))!
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const command = await loadCommand(entry.name)
  const code = await runCommand(command, [...words.slice(entry.name.split(' ').length), '--quiet', '--yes'])
  const printed = write.mock.calls.map(([text]) => text).join('')
  write.mockRestore()
  expect(code).toBe(0)
  last = printed.trim()
  if (prints) expect(printed.replaceAll(folder, 'HOME')).toMatch(prints)
})

/**
 * Commands that separate tests run. An upgrade prints the same record as `daemon restart`. A restore prints the backup. The
 * other commands print ids.
 */
const ELSEWHERE = /^(daemon (upgrade|restore)|sessions|grants|clients)$/

test('every command with a value for --quiet is tested', () => {
  const tested = CASES.flatMap(([line, prints]) => (prints ? [line] : []))
  for (const name of Object.keys(QUIET_FIELDS))
    if (!ELSEWHERE.test(name))
      expect(
        tested.some(line => line.startsWith(name)),
        name,
      ).toBe(true)
})
