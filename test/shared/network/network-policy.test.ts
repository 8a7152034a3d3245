import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import type { NetworkSetting } from '../../../src/shared/network/destinations.ts'
import { describeRefusal, NetworkPolicy } from '../../../src/shared/network/network-policy.ts'
import { networkSchema } from '../../../src/shared/network/network-schema.ts'
import { isClosedAddress } from '../../../src/shared/network/own-addresses.ts'
import { isPrivateAddress } from '../../../src/shared/network/special-addresses.ts'

describe('isPrivateAddress recognizes private addresses in all notations', () => {
  test.each([
    '127.0.0.1',
    '127.8.9.10',
    '192.0.2.1',
    '198.18.0.1',
    '2001:db8::1',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '168.63.129.16',
    '100.64.0.1',
    '100.100.100.200',
    '192.0.0.192',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'fd00:ec2::254',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '::ffff:a83f:8110',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '100:0:0:1::1',
    '2001::1',
    '2002:7f00:1::',
    '3fff::1',
    '5f00::1',
    'not an address',
    'localhost',
    '127.1',
    '0x7f000001',
    '',
  ])('isPrivateAddress is true for %s', address => {
    expect(isPrivateAddress(address)).toBe(true)
  })
})

test('isPrivateAddress is false for public addresses', () => {
  for (const address of [
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '168.63.129.17',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '172.15.0.1',
    '2a00:1450::1',
  ])
    expect(isPrivateAddress(address), address).toBe(false)
})

test('isClosedAddress is true for all addresses of this machine, even public ones', () => {
  const own = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
  for (const { address } of own) expect(isClosedAddress(address), address).toBe(true)
})

function judge(network: NetworkSetting | undefined, host: string, port: number) {
  return new NetworkPolicy({ network, allowPrivateNetwork: false }).judgeHost(host, port)?.reason
}

test('without a network setting, a public host is permitted', () => {
  expect(judge(undefined, 'example.com', 443)).toBeUndefined()
})

test('"none" refuses all hosts', () => {
  expect(judge('none', 'example.com', 443)).toBe('closed')
  expect(judge('none', '8.8.8.8', 53)).toBe('closed')
})

describe('an allow list', () => {
  const list = {
    allow: [
      'api.example.com',
      '*.example.org:443',
      '203.0.114.7:5432',
      '[2606:4700::1111]:443',
      'BÜCHER.example',
    ],
  }

  test.each([
    ['api.example.com', 1],
    ['API.Example.COM.', 65_535],
    ['a.example.org', 443],
    ['a.b.example.org', 443],
    ['203.0.114.7', 5432],
    ['::ffff:203.0.114.7', 5432],
    ['2606:4700:0:0::1111', 443],
    ['xn--bcher-kva.example', 80],
  ])('an allow list permits %s at port %i', (host, port) => {
    expect(judge(list, host, port)).toBeUndefined()
  })

  test.each([
    ['www.api.example.com', 443],
    ['example.org', 443],
    ['evilexample.org', 443],
    ['a.example.org', 80],
    ['203.0.114.7', 443],
    ['203.0.114.8', 5432],
    ['a.example.org\u0000.evil.com', 443],
    ['', 443],
    ['a b', 443],
  ])('an allow list refuses %j at port %i', (host, port) => {
    expect(judge(list, host, port)).toBe('unlisted')
  })

  test('an allow list permits DNS look-ups of its names only', () => {
    const policy = new NetworkPolicy({ network: list, allowPrivateNetwork: false })
    expect(policy.judgeName('x.example.org')).toBeUndefined()
    expect(policy.judgeName('secret.evil.com')?.reason).toBe('unlisted')
  })
})

test('one private address blocks a name with several addresses, unless private networks are allowed', () => {
  const addresses = ['8.8.8.8', '10.0.0.1']
  const closed = new NetworkPolicy({ allowPrivateNetwork: false })
  const open = new NetworkPolicy({ allowPrivateNetwork: true })
  expect(closed.judgeAddresses('example.com', 443, addresses)?.reason).toBe('private')
  expect(open.judgeAddresses('example.com', 443, addresses)).toBeUndefined()
})

test('a refusal names the destination and the setting that would permit it', () => {
  const refusal = { host: '2606:4700::1111', port: 443 }
  expect(describeRefusal({ reason: 'unlisted', ...refusal })).toContain(
    'Add "[2606:4700::1111]:443" to deploy.network.allow',
  )
  expect(describeRefusal({ reason: 'private', ...refusal })).toContain('"allow_private_network": true')
  expect(describeRefusal({ reason: 'closed', ...refusal })).toContain('"network": "none"')
})

test('the network setting is rejected with a reason for each invalid entry', () => {
  const problems = (value: unknown) =>
    networkSchema.safeParse(value).error?.issues.map(issue => issue.message)
  expect(problems('none')).toBeUndefined()
  expect(problems({ allow: ['a.com', '*.b.com:443', '1.2.3.4:5', '[::1]:5'] })).toBeUndefined()
  expect(problems('some')).toEqual([expect.stringContaining('must be "none" or a list of hosts')])
  expect(problems({ allow: [] })).toEqual([expect.stringContaining('must contain at least one host')])
  expect(problems({ allow: ['https://a.com', 'b.com:99999', '*', '*.1.2.3.4', 'c d'] })).toEqual([
    expect.stringContaining('without scheme'),
    expect.stringContaining('invalid port'),
    expect.stringContaining('not a destination'),
    expect.stringContaining('wildcard before an address'),
    expect.stringContaining('not a destination'),
  ])
})
