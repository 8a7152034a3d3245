import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { enableControllers, removeAbandoned } from '../../src/daemon/control-groups.ts'

let group: string
beforeEach(() => {
  group = mkdtempSync(join(tmpdir(), 'mcp-service-'))
})
afterEach(() => rmSync(group, { recursive: true, force: true }))

/** Writes the files of a group, as if systemd had created it. */
function files(contents: Record<string, string>): void {
  for (const [name, text] of Object.entries(contents)) writeFileSync(join(group, name), text)
}

const read = (name: string) => readFileSync(join(group, name), 'utf8')

test('the daemon moves into a subgroup of its service and enables controllers for the subgroups', () => {
  const controllers = 'cpuset cpu pids\n'
  files({ 'cgroup.type': 'domain', 'cgroup.procs': `${process.pid}\n`, 'cgroup.controllers': controllers })
  enableControllers(group)
  expect(read('mcp-daemon/cgroup.procs')).toBe(String(process.pid))
  expect(read('cgroup.subtree_control')).toBe('+pids')
})

test('the daemon changes no group that it shares with other processes', () => {
  const processes = `${process.ppid}\n${process.pid}\n`
  files({ 'cgroup.type': 'domain', 'cgroup.procs': processes, 'cgroup.controllers': 'cpu pids memory' })
  enableControllers(group)
  expect([existsSync(join(group, 'mcp-daemon')), existsSync(join(group, 'cgroup.subtree_control'))]).toEqual([
    false,
    false,
  ])
})

test('removes the empty groups of bridges that no longer run, and only these', () => {
  const gone = 'mcp-program-4194999-ab.1' // above the highest process id
  const names = [gone, `mcp-program-${process.pid}-ab.1`, 'mcp-program-4194999-ab.2', 'system.slice']
  for (const name of names) mkdirSync(join(group, name))
  writeFileSync(join(group, 'mcp-program-4194999-ab.2', 'in-use'), '')
  removeAbandoned(group)
  expect(names.map(name => existsSync(join(group, name)))).toEqual([false, true, true, true])
})
