import { describe, expect, test } from 'vitest'
import { isPrivateAddress, refusePrivateHost } from '../../../src/instance/handlers/network-guard.ts'

describe('addresses of private networks are known in every form', () => {
  test.each([
    '127.0.0.1',
    '127.8.9.10',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ])('%s', address => {
    expect(isPrivateAddress(address)).toBe(true)
  })
})

test('public addresses are not', () => {
  for (const address of ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])
    expect(isPrivateAddress(address), address).toBe(false)
})

test('a host written as a number or in octal is the address that it stands for', () => {
  for (const host of [
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '[::1]',
    '[::ffff:7f00:1]',
    '169.254.169.254',
  ])
    expect(() => refusePrivateHost(new URL(`http://${host}/`)), host).toThrow(/private network/)
  expect(() => refusePrivateHost(new URL('http://example.com/'))).not.toThrow()
})
