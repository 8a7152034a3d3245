import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findControlGroups } from '../../../src/shared/sandbox/control-groups.ts'

const isRoot = process.getuid?.() === 0
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mcp-cgroup-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, content: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), content)
}

/** Simulates a machine on which process 7 is in these groups. */
function machine(mounts: string[], groups: string): void {
  write('proc/self/mountinfo', mounts.join('\n'))
  write('proc/7/cgroup', groups)
}

const find = () => findControlGroups(7, join(root, 'proc'))
const unified = (mounted = '/') => `30 25 0:26 ${mounted} ${root}/cg rw,nosuid shared:9 - cgroup2 cgroup2 rw`

test('uses the group above that of the daemon on cgroup v2, if it is delegated', () => {
  const service = 'cg/user.slice/mcp-hosting.service'
  machine([unified()], '0::/user.slice/mcp-hosting.service/mcp-daemon\n')
  write(`${service}/cgroup.subtree_control`, 'cpu memory pids\n')
  write(`${service}/cgroup.procs`, '')
  const folder = join(root, service)
  expect(find()).toEqual({
    version: 2,
    parents: new Map([
      ['cpu', folder],
      ['pids', folder],
      ['memory', folder],
    ]),
  })
})

test('ignores cgroup v2 groups that are not delegated to the daemon', () => {
  machine([unified()], '0::/user.slice/session-2.scope\n')
  write('cg/user.slice/cgroup.subtree_control', 'cpu memory pids\n')
  write('cg/user.slice/cgroup.procs', '')
  expect(find()).toBeUndefined()
})

test('finds the group when a container mounts only its own part of the hierarchy', () => {
  machine([unified('/box')], '0::/box/mcp-daemon\n')
  write('cg/cgroup.subtree_control', 'pids')
  write('cg/cgroup.procs', '')
  expect(find()).toEqual({ version: 2, parents: new Map([['pids', join(root, 'cg')]]) })
})

test.runIf(isRoot)('uses the controllers cpu and pids of cgroup v1, and never memory', () => {
  const mount = (name: string) => `31 25 0:27 / ${root}/${name} rw - cgroup cgroup rw,${name}`
  machine(['cpu,cpuacct', 'pids', 'memory'].map(mount), '3:memory:/a\n2:pids:/a\n1:cpu,cpuacct:/\n0::/\n')
  for (const folder of ['cpu,cpuacct', 'pids/a', 'memory/a']) write(`${folder}/cgroup.procs`, '')
  expect(find()?.parents).toEqual(
    new Map([
      ['cpu', join(root, 'cpu,cpuacct')],
      ['pids', join(root, 'pids', 'a')],
    ]),
  )
})

test('finds no control groups without /proc', () => {
  expect(findControlGroups(7, join(root, 'nowhere'))).toBeUndefined()
})
