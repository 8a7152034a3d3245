import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createHome, MCP_BIN, type TestHome } from '../helpers/daemon/mcp.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Commands that need a registry, and the one that runs this test. */
const NOT_RUN = /npx -y |npm test/
/** A command that warns about a missing model key. */
const WARNS = /^mcp test /
const FOLLOWS = / -f\b/

test.each([
  ['README.md', 4],
  ['docs/quick-start.md', 22],
])('the shell commands of %s work in order in an empty folder', async (page, count) => {
  const lines = commandsOf(readFileSync(join(root, page), 'utf8'))
  expect(lines.length).toBeGreaterThanOrEqual(count)
  const home = createHome()
  try {
    prepare(home)
    for (const line of lines) {
      const { code, stderr } = await run(home, line)
      const expected = FOLLOWS.test(line) ? 130 : 0
      expect({ line, code, stderr }).toEqual({
        line,
        code: expected,
        stderr: WARNS.test(line) && code === expected ? stderr : '',
      })
    }
  } finally {
    await home.remove()
  }
})

/** The lines of all shell blocks. Instead of installing the package, the test has `mcp` on its PATH. */
function commandsOf(page: string): string[] {
  const blocks = [...page.matchAll(/^ *```sh\n([\s\S]*?)\n *```$/gm)].map(([, block]) => block!)
  const lines = blocks.flatMap(block => block.split('\n').map(line => line.trim()))
  return lines.filter(line => !NOT_RUN.test(line)).map(line => line.replace(/^(npm ci && )?npx /, ''))
}

/** Adds `mcp` to the PATH, and the files and the variable that a reader has. */
function prepare({ dir, env }: TestHome): void {
  mkdirSync(join(dir, 'bin'))
  symlinkSync(MCP_BIN, join(dir, 'bin/mcp'))
  symlinkSync(join(root, 'examples'), join(dir, 'examples'))
  copyFileSync(join(root, 'examples/from-openapi/openapi.yaml'), join(dir, 'openapi.yaml'))
  env.PATH = [join(dir, 'bin'), dirname(process.execPath), env.PATH].join(delimiter)
  env.API_TOKEN = 'token'
}

/** Runs a line in the shell. Interrupts a command that follows a log after its first output. */
async function run(home: TestHome, line: string): Promise<{ code: number | null; stderr: string }> {
  // The local daemon stands in for a hosted API.
  const hosted = line.includes('https://api.example.com')
  const command = hosted ? line.replace('https://api.example.com', home.discovery()!.url) : line
  const env = { ...home.env, ...(hosted && { MCP_API_KEY: home.apiKey() }) }
  const child = spawn('sh', ['-c', `exec ${command}`], {
    cwd: home.dir,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A second interrupt would kill it before it exits.
  if (FOLLOWS.test(line)) child.stdout.once('data', () => child.kill('SIGINT'))
  child.stdout.resume()
  const closed = new Promise<number | null>(resolve => child.once('close', resolve))
  return { stderr: await text(child.stderr), code: await closed }
}
