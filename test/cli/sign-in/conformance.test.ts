import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHome, MCP_BIN, type TestHome } from '../../helpers/daemon/mcp.ts'

const PROGRAM = fileURLToPath(new URL('../../../node_modules/.bin/conformance', import.meta.url))

/** Each scenario of the suite starts a server with specific faults and runs `mcp call` in a pseudo-terminal. */
let home: TestHome
beforeAll(() => {
  home = createHome()
  // The page redirects immediately, as if a user had confirmed everything.
  const browser = `exec '${process.execPath}' -e 'fetch(process.argv[1])' "$1"`
  writeFileSync(join(home.dir, 'opener'), `#!/bin/sh\n${browser}\n`, { mode: 0o755 })
})
afterAll(() => home.remove())

interface Calls {
  options?: string
  secret?: string
  /** Number of calls. In one scenario, the server changes during the first call. */
  times?: number
}

async function runScenario(name: string, { options = '', secret, times = 1 }: Calls): Promise<string> {
  const folder = mkdtempSync(join(home.dir, 'scenario-'))
  const client = join(folder, 'client')
  const call = `script -qefc "'${process.execPath}' '${MCP_BIN}' call $1 test-tool --yes ${options}" /dev/null`
  writeFileSync(client, `#!/bin/sh\n${Array(times).fill(call).join(' ; ')}\n`, { mode: 0o755 })
  const { CI: _, ...env } = { ...home.env, MCP_HOME: folder } as NodeJS.ProcessEnv
  const said = await promisify(execFile)(
    process.execPath,
    [PROGRAM, 'client', '--command', client, '--scenario', name, '--timeout', '60000'],
    {
      cwd: folder,
      env: { ...env, BROWSER: join(home.dir, 'opener'), ...(secret && { MCP_CLIENT_SECRET: secret }) },
    },
  ).catch((failure: { stdout: string; stderr: string }) => failure)
  return said.stdout + said.stderr
}

const SCENARIOS: [string, Calls][] = [
  ['scope-step-up', {}],
  ['iss-wrong-issuer', {}],
  ['authorization-server-migration', { times: 2 }],
  ['pre-registration', { options: '--client-id pre-registered-client', secret: 'pre-registered-secret' }],
]

// macOS has a different script(1).
test.runIf(process.platform === 'linux').each(SCENARIOS)(
  'mcp call passes the client scenario auth/%s of the MCP conformance suite',
  async (name, calls) => {
    const output = await runScenario(`auth/${name}`, calls)
    expect(output).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/)
  },
  120_000,
)
