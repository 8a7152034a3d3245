import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Installation } from './installation.ts'
import { runCommand, runOrThrow } from './run-command.ts'

/** Typical use of the installed package. Later checks use the servers that earlier checks created. */
export interface Check {
  name: string
  run(installation: Installation): Promise<void>
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const MAX_PACKAGES = 6
/** The goal is 45. better-sqlite3 and esbuild alone take 38. */
const MAX_MEGABYTES = 46

export const CHECKS: readonly Check[] = [
  {
    name: `installs at most ${MAX_PACKAGES} packages and ${MAX_MEGABYTES} MB, and compiles nothing`,
    async run(installation) {
      const packages = installation.packages()
      assert.ok(packages.length <= MAX_PACKAGES, `${packages.length} packages: ${packages.join(', ')}`)
      const megabytes = installation.bytesOnDisk() / 1024 ** 2
      assert.ok(megabytes <= MAX_MEGABYTES, `${megabytes.toFixed(1)} MB`)
      assert.ok(!existsSync(join(installation.app, 'node_modules/better-sqlite3/build')))
    },
  },
  {
    name: 'npx mcp-hosting starts the command line',
    async run(installation) {
      const { code, stdout, stderr } = await installation.run('npx', ['--', 'mcp-hosting', '--version'])
      assert.deepEqual({ code, stdout }, { code: 0, stdout: `${versionOf(installation)}\n` }, stderr)
    },
  },
  {
    name: 'a server from the basic template runs and answers a call',
    async run(installation) {
      await installation.mcp(['init', 'greeter', '--template', 'basic'])
      await installation.mcp(['up', 'greeter'])
      assert.match(await installation.mcp(['call', 'greeter', 'greet', 'name=Ada']), /Ada/)
    },
  },
  {
    name: 'a server from the advanced template runs',
    async run(installation) {
      await installation.mcp(['init', 'desk', '--template', 'advanced'])
      await installation.mcp(['up', 'desk'])
    },
  },
  {
    name: 'a server from the custom template is built, runs and answers a call',
    async run(installation) {
      await installation.mcp(['init', 'dice', '--template', 'custom'])
      await installation.mcp(['up', 'dice'])
      assert.match(await installation.mcp(['call', 'dice', 'roll_dice']), /\d/)
    },
  },
  {
    name: 'a program runs with --command and lists its tools',
    async run(installation) {
      const program = join(root, 'test/fixtures/programs/stdio-server.mjs')
      await installation.mcp(['up', '--name', 'bridged', '--command', `node ${program}`])
      assert.match(await installation.mcp(['tools', 'bridged']), /\w/)
    },
  },
  {
    name: 'mcp doctor finds nothing wrong',
    async run(installation) {
      const { ok, checks } = JSON.parse(await installation.mcp(['doctor', '--json']))
      assert.ok(ok, JSON.stringify(checks.filter((check: { status: string }) => check.status === 'fail')))
    },
  },
  {
    name: 'mcp test and mcp chat use a server through the embedded model',
    async run(installation) {
      assert.match(await installation.mcp(['test', '--server', 'greeter', 'Greet Ada']), /greet/)
      assert.match(await installation.mcp(['chat', 'greeter'], 'Greet Ada\n'), /greet/)
    },
  },
  {
    name: 'the types of mcp-hosting/oauth and mcp-hosting/server are complete under strict',
    run: checkTypes,
  },
  {
    name: 'mcp-hosting/oauth serves metadata with storage in SQLite',
    async run(installation) {
      const file = join(installation.app, 'consumer.mts')
      const output = await runOrThrow(
        installation.node,
        ['--disable-warning=ExperimentalWarning', file],
        installation.options,
      )
      assert.match(output, /"issuer":"https:\/\/app\.example\.com"/)
    },
  },
  {
    name: 'exported bundles of declared and of custom servers run with node alone',
    async run(installation) {
      for (const server of ['greeter', 'dice']) await checkBundle(installation, server)
    },
  },
  {
    name: 'an image is built from the local Node',
    async run(installation) {
      await installation.mcp(['export', 'greeter', '--image', '--out', 'greeter.tar'])
      assert.ok(statSync(join(installation.app, 'greeter.tar')).size > 10_000_000)
    },
  },
]

function versionOf({ app }: Installation): string {
  return JSON.parse(readFileSync(join(app, 'node_modules/mcp-hosting/package.json'), 'utf8')).version
}

const CONSUMER = `import { createServer } from 'node:http'
import {
  type AccessTokenClaims, type AuthorizationServer, createAuthorizationServer, createProtectedResource, github, nodeListener, sqliteStorage,
} from 'mcp-hosting/oauth'
import { defineTool, text } from 'mcp-hosting/server'

const server: AuthorizationServer = createAuthorizationServer({
  issuer: 'https://app.example.com',
  upstreamProvider: github({ clientId: 'id', clientSecret: 'secret' }),
  signingSecret: 'x'.repeat(32),
  storage: sqliteStorage({ path: 'records.db' }),
})
const claims = async (token: string): Promise<AccessTokenClaims> => server.verifyAccessToken(token, 'https://app.example.com/mcp')
const subject = async (token: string): Promise<string> => (await claims(token)).sub
const resource = createProtectedResource({ resource: 'https://app.example.com/mcp', authorizationServer: server })
export const tool = defineTool({ description: 'Says hello', handler: () => text('hello') })
export const parts = [subject, resource, createServer(nodeListener(server))]
const answer = await server.fetch(new Request('https://app.example.com/.well-known/oauth-authorization-server'))
console.log(JSON.stringify(await answer.json()))
`

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    module: 'nodenext',
    target: 'es2024',
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    noEmit: true,
  },
  files: ['consumer.mts'],
}

/** Checks the types. The compiler and the Node types come from the checkout. For users, they are development dependencies. */
async function checkTypes(installation: Installation): Promise<void> {
  writeFileSync(join(installation.app, 'consumer.mts'), CONSUMER)
  writeFileSync(join(installation.app, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  await runOrThrow(process.execPath, [compiler, '--project', installation.app], installation.options)
}

async function checkBundle(installation: Installation, server: string): Promise<void> {
  await installation.mcp(['export', server, '--bundle', '--out', `exported-${server}`])
  const cwd = join(installation.app, `exported-${server}`)
  const child = spawn(installation.node, ['server.mjs'], {
    cwd,
    env: { PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const { url } = JSON.parse(line.toString().split('\n')[0]!) as { url: string }
    const health = await fetch(new URL('/health', url))
    assert.equal(health.status, 200)
  } finally {
    child.kill()
  }
}

/** Checks that an exported bundle and the command print one line and no source code on a Node version that is too old. */
export async function checkOldNode(installation: Installation, oldNode: string): Promise<void> {
  const { app, env } = installation
  const programs = [
    'exported-greeter/server.mjs',
    'node_modules/mcp-hosting/bin/mcp.js',
    'node_modules/mcp-hosting/bin/mcpd.js',
  ]
  for (const program of programs) {
    const { code, stdout, stderr } = await runCommand(oldNode, [program], { cwd: app, env })
    assert.equal(code, 2, program)
    assert.equal(stdout, '')
    assert.match(
      stderr,
      /^\S.* needs Node\.js 22 \(22\.19 or newer\), 24 or 26\. This is v[\d.]+\. Install [^\n]*\n$/,
    )
  }
}
