import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { findBubblewrap, SANDBOX_BASE } from '../../../src/shared/sandbox/bubblewrap.ts'
import {
  findUserSwitch,
  sandboxUser,
  switchedCommand,
  USER_SWITCH_CAPABILITIES,
} from '../../../src/shared/sandbox/sandbox-user.ts'

const ids = { first: 1_900_000_000, count: 1 << 20 }
const bubblewrap = findBubblewrap(process.env.PATH!)
const userSwitch = findUserSwitch(process.env.PATH!)

test('a server always gets the same user, and different servers get different users', () => {
  expect(sandboxUser(ids, 'shop')).toEqual(sandboxUser(ids, 'shop'))
  expect(sandboxUser(ids, 'shop')).not.toEqual(sandboxUser(ids, 'bank'))
  const { uid, gid } = sandboxUser(ids, 'shop')
  expect(uid).toBe(gid)
  expect(uid).toBeGreaterThanOrEqual(ids.first)
  expect(uid).toBeLessThan(ids.first + ids.count)
})

test('reports why the user cannot be switched', () => {
  const why =
    process.getuid!() === 0 ? 'setpriv (util-linux) is not installed' : 'the daemon does not run as root'
  expect(findUserSwitch('/nowhere')).toEqual({ usable: false, why })
})

test.runIf(userSwitch.usable)(
  'starts a command as another user without supplementary groups, capabilities or new privileges',
  () => {
    if (!userSwitch.usable) return
    const script = 'id -u; id -G; grep -E "Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs" /proc/self/status'
    const { uid, gid } = sandboxUser(userSwitch.ids, 'shop')
    expect(printed(switchedCommand(userSwitch, 'shop', ['/bin/sh', '-c', script]))).toEqual([
      `${uid}`,
      `${gid}`,
      ...['CapPrm:', 'CapEff:', 'CapBnd:', 'CapAmb:'].map(name => `${name} ${'0'.repeat(16)}`),
      'NoNewPrivs: 1',
    ])
  },
)

test.runIf(userSwitch.usable && bubblewrap.usable)(
  'switchedCommand switches the user inside bubblewrap',
  () => {
    if (!userSwitch.usable || !bubblewrap.usable) return
    const switched = switchedCommand(userSwitch, { uid: 65534, gid: 65534 }, [
      '/bin/sh',
      '-c',
      'id -u; touch /tmp/x',
    ])
    expect(
      printed([bubblewrap.file, ...SANDBOX_BASE, ...USER_SWITCH_CAPABILITIES, '--', ...switched]),
    ).toEqual(['65534'])
  },
)

function printed([file, ...args]: string[]): string[] {
  const text = execFileSync(file!, args, { encoding: 'utf8' }).trim()
  return text.split('\n').map(line => line.replaceAll(/\s+/g, ' '))
}
