import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findBubblewrap } from '../../../src/shared/sandbox/bubblewrap.ts'
import { socketFilter } from '../../../src/shared/sandbox/socket-filter.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcp-filter-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const bubblewrap = findBubblewrap(process.env.PATH!)
const hasPython = spawnSync('python3', ['--version']).status === 0

test('the socket filter consists of 8-byte instructions, and is undefined on unknown architectures', () => {
  for (const arch of ['x64', 'arm64', 'riscv64', 'loong64'] as const)
    expect(socketFilter({}, arch)!.length % 8).toBe(0)
  expect(socketFilter({}, 's390x')).toBeUndefined()
  expect(socketFilter({}, 'ia32')).toBeUndefined()
})

const TRIES = `
import ctypes, os, socket, sys
def attempt(name, action):
    try: action(); print(name, 'ok')
    except OSError as error: print(name, os.strerror(error.errno))
libc = ctypes.CDLL(None, use_errno=True)
def call(*args):
    if libc.syscall(*args) < 0: raise OSError(ctypes.get_errno(), '')
def reach():
    s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
def pair(kind):
    a, b = socket.socketpair(socket.AF_UNIX, kind); a.send(b'x'); assert b.recv(1) == b'x'
attempt('machine', reach)
attempt('inet', lambda: socket.socket(socket.AF_INET))
attempt('inet6', lambda: socket.socket(socket.AF_INET6))
attempt('vsock', lambda: socket.socket(40))
attempt('stream pair', lambda: pair(socket.SOCK_STREAM))
attempt('packet pair', lambda: pair(socket.SOCK_SEQPACKET))
attempt('datagram pair', lambda: pair(socket.SOCK_DGRAM))
attempt('raw pair', lambda: pair(socket.SOCK_RAW))
attempt('upper bits', lambda: call(ctypes.c_long(socket_number), ctypes.c_long(0x100000001), ctypes.c_long(1), ctypes.c_long(0)))
attempt('io_uring', lambda: call(ctypes.c_long(425), ctypes.c_long(1), ctypes.c_long(0)))
attempt('memfd', lambda: os.close(os.memfd_create('a')))
attempt('shmget', lambda: call(ctypes.c_long(shmget_number), ctypes.c_long(0), ctypes.c_long(4096), ctypes.c_long(0o1600)))
def mount():
    if libc.unshare(0x10020000) < 0 or libc.mount(b'none', b'/mnt', b'tmpfs', 0, None) < 0: raise OSError(ctypes.get_errno(), '')
attempt('x32', lambda: call(ctypes.c_long(0x40000000 + 41), ctypes.c_long(1), ctypes.c_long(1), ctypes.c_long(0)))
attempt('mount', mount)
`
  .replace('socket_number', process.arch === 'x64' ? '41' : '198')
  .replace('shmget_number', process.arch === 'x64' ? '29' : '194')

const isTestable = bubblewrap.usable && hasPython && socketFilter() !== undefined

test.runIf(isTestable)(
  'the socket filter allows internet sockets and Unix stream and packet pairs, but rejects other sockets and attempts to bypass it',
  async () => {
    expect(await attemptAll({})).toEqual({
      machine: 'Address family not supported by protocol',
      inet: 'ok',
      inet6: 'ok',
      vsock: 'Address family not supported by protocol',
      'stream pair': 'ok',
      'packet pair': 'ok',
      'datagram pair': 'Address family not supported by protocol',
      'raw pair': 'Address family not supported by protocol',
      'upper bits': 'Address family not supported by protocol',
      io_uring: 'Function not implemented',
      x32: 'Function not implemented',
      memfd: 'Function not implemented',
      shmget: 'Function not implemented',
      mount: 'Function not implemented',
    })
  },
)

test.runIf(isTestable)(
  'the option unixSockets allows Unix sockets, but no way around the sandbox',
  async () => {
    const results = await attemptAll({ unixSockets: true })
    expect(results).toMatchObject({ machine: 'ok', 'datagram pair': 'ok' })
    expect(results).toMatchObject({ io_uring: 'Function not implemented', x32: 'Function not implemented' })
    expect(results.vsock).toBe('Address family not supported by protocol')
  },
)

/** Makes each attempt in a sandbox that can see the socket of a server on this machine. Returns the outcomes. */
async function attemptAll(options: { unixSockets?: boolean }): Promise<Record<string, string>> {
  const path = join(folder, 'machine.sock')
  const filter = join(folder, 'filter')
  writeFileSync(filter, socketFilter(options)!)
  const server = createServer().listen(path)
  try {
    const args = ['-c', 'exec "$@" 4<"$0"', filter, 'bwrap', '--dev-bind', '/', '/', '--seccomp', '4', '--']
    const { stdout, stderr } = spawnSync('sh', [...args, 'python3', '-c', TRIES, path], { encoding: 'utf8' })
    expect(stderr).toBe('')
    const rows = stdout.trim().split('\n')
    return Object.fromEntries(rows.map(row => /^(.*?) (ok|[A-Z].*)$/.exec(row)!.slice(1)))
  } finally {
    await new Promise(resolve => server.close(resolve))
  }
}
