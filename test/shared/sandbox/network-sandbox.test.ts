import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import {
  findNetworkSandbox,
  type NetworkSandbox,
  networkSandbox,
} from '../../../src/shared/sandbox/network-sandbox.ts'

const network = networkSandbox()
const inNamespace = test.skipIf(!network.usable)
/** Only root can switch to another user. */
const asUser = test.skipIf(!network.usable || process.getuid?.() !== 0)
const folder = mkdtempSync(join(tmpdir(), 'mcp-network-'))
const listener = createServer(socket => socket.end()).listen(0, '127.0.0.1')
afterAll(() => {
  listener.close()
  rmSync(folder, { recursive: true })
})

const REACH = (port: number) => `
  const { connect, createServer } = require('node:net')
  const reach = (port, host) => new Promise(resolve => {
    const socket = connect(port, host, () => { socket.destroy(); resolve('connected') })
    socket.on('error', error => resolve(error.code))
  })
  const server = createServer(socket => socket.end()).listen(0, '127.0.0.1', async () => {
    const { port } = server.address()
    const seen = { own: await reach(port, '127.0.0.1'), machine: await reach(${port}, '127.0.0.1'), outside: await reach(80, '192.0.2.1') }
    console.log(JSON.stringify(seen))
    server.close()
  })`

inNamespace('a process in a network namespace has only its own loopback interface', async () => {
  const { prefix } = network as NetworkSandbox & { usable: true }
  const { port } = listener.address() as AddressInfo
  const child = spawn(prefix[0]!, [...prefix.slice(1), process.execPath, '-e', REACH(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [text] = await once(child.stdout.setEncoding('utf8'), 'data')
  expect(JSON.parse(text)).toEqual({ own: 'connected', machine: 'ECONNREFUSED', outside: 'ENETUNREACH' })
})

asUser('an unprivileged daemon can use a network namespace with the sandbox of programs inside it', () => {
  const source = fileURLToPath(new URL('../../../src/shared/sandbox/network-sandbox.ts', import.meta.url))
  const contents = `import { findNetworkSandbox } from ${JSON.stringify(source)}
    console.log(JSON.stringify(findNetworkSandbox(process.env.PATH)))`
  const stdin = { contents, resolveDir: folder }
  const built = buildSync({ stdin, bundle: true, write: false, platform: 'node', format: 'esm' })
  const { stdout, stderr } = spawnSync(
    nodeForEveryone(),
    ['--input-type=module', '-e', built.outputFiles[0]!.text],
    {
      uid: 12_345,
      gid: 12_345,
      encoding: 'utf8',
      cwd: '/',
    },
  )
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual(network)
})

/** A copy of this Node. Only root can read a checkout or a cache below /root. */
function nodeForEveryone(): string {
  chmodSync(folder, 0o755)
  const file = join(folder, 'node')
  copyFileSync(process.execPath, file)
  chmodSync(file, 0o755)
  return file
}

test('reports why there is no network namespace', () => {
  expect(findNetworkSandbox('/nowhere')).toEqual({ usable: false, why: 'bubblewrap is not installed here' })
  const fake = join(folder, 'bwrap')
  writeFileSync(fake, '#!/bin/sh\necho "bwrap: loopback: Failed RTM_NEWADDR" >&2\nexit 1')
  chmodSync(fake, 0o755)
  expect(findNetworkSandbox(folder)).toEqual({
    usable: false,
    why: 'network namespaces do not work here (bwrap: loopback: Failed RTM_NEWADDR)',
  })
})

test('a network namespace is unusable if a program would lose its sandbox inside it', () => {
  const fake = join(folder, 'bwrap')
  // A stand-in for bubblewrap that works alone and fails when nested.
  writeFileSync(
    fake,
    `#!/bin/sh
    if [ -n "$INSIDE" ]; then echo "bwrap: setting up uid map: Permission denied" >&2; exit 1; fi
    case "$*" in *--unshare-net*) INSIDE=1; export INSIDE;; esac
    while [ "$1" != -- ]; do shift; done; shift
    exec "$@"`,
  )
  chmodSync(fake, 0o755)
  expect(findNetworkSandbox(folder)).toEqual({
    usable: false,
    why: 'programs get no sandbox within a network namespace here (bwrap: setting up uid map: Permission denied)',
  })
})
