import { expect, test } from 'vitest'
import { describeLimits } from '../../../src/daemon/checks/isolation-checks.ts'
import type { ControlGroups, Controller } from '../../../src/shared/sandbox/control-groups.ts'

function groups(version: 1 | 2, ...controllers: Controller[]): ControlGroups {
  return { version, parents: new Map(controllers.map(name => [name, '/sys/fs/cgroup'])) }
}

test.each([
  [groups(2, 'cpu', 'pids', 'memory'), 'memory cgroup v2, processes cgroup v2, processor cgroup v2'],
  [groups(1, 'cpu', 'pids'), 'memory watched, processes cgroup v1, processor cgroup v1'],
  [undefined, 'memory watched, processes watched, processor none (limits.cpus requires'],
])('doctor names the mechanism behind each limit on programs (%#)', (available, sentence) => {
  expect(describeLimits(available, 'linux')).toContain(`limits on programs: ${sentence}`)
})

test('doctor says that other systems enforce no limits on programs', () => {
  expect(describeLimits(undefined, 'darwin')).toBe('limits on programs are not enforced on this system')
})
