import { expect, test } from 'vitest'
import { createGuardedAgent } from '../../../src/instance/handlers/http-send.ts'
import { isPrivateAddress, refusePrivateHost } from '../../../src/instance/handlers/network-guard.ts'

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:a00:1',
  '::127.0.0.1',
  '64:ff9b::a00:1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  '2002:7f00:1::',
])('%s is not of the public internet', address => {
  expect(isPrivateAddress(address)).toBe(true)
})

test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
  '%s is',
  address => {
    expect(isPrivateAddress(address)).toBe(false)
  },
)

test.each([
  'http://0x7f.1/',
  'http://2130706433/',
  'http://127.1/',
  'http://[::1]/',
  'http://[::ffff:7f00:1]/',
  'http://0/',
])('another spelling of a private address is seen through: %s', url => {
  expect(() => refusePrivateHost(new URL(url))).toThrow(/private network/)
})

test('a name is judged by what it leads to when the connection is made', async () => {
  const asked: string[] = []
  const agent = createGuardedAgent((hostname, _options, callback) => {
    asked.push(hostname)
    // Public at first, private when it matters: DNS rebinding.
    callback(null, [{ address: '127.0.0.1', family: 4 }])
  })
  const refused = agent.request({ origin: 'http://rebind.example:9', path: '/', method: 'GET' })
  await expect(refused).rejects.toThrow(/rebind\.example leads to a private network/)
  expect(asked).toEqual(['rebind.example'])
  await agent.close()
})

test('one private address among public ones is enough to refuse a name', async () => {
  const agent = createGuardedAgent((_hostname, _options, callback) =>
    callback(null, [
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ]),
  )
  await expect(agent.request({ origin: 'http://mixed.example', path: '/', method: 'GET' })).rejects.toThrow(
    /private network/,
  )
  await agent.close()
})
