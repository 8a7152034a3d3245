import { isIP, SocketAddress } from 'node:net'
import { expect, test } from 'vitest'
import { HandleGuard } from '../../../src/instance/network/handle-guard.ts'
import { addressKey, parseAddress } from '../../../src/instance/network/numeric-address.ts'
import { canonicalAddress, isPrivateAddress } from '../../../src/shared/network/special-addresses.ts'

let seed = 20_260_101
const random = (below: number) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed % below
}
const pick = <T>(values: readonly T[]) => values[random(values.length)]!

/** A string that is an address or almost one. */
function randomText(): string {
  const parts = [
    '0',
    '1',
    '7f',
    'ffff',
    '2606',
    '64',
    'ff9b',
    '127',
    '10',
    '192',
    '168',
    '255',
    '256',
    '00',
    '',
  ]
  const separators = [':', '::', '.', ':', '.']
  const length = 1 + random(9)
  let text = pick(['', '', '::', '::ffff:', '2001:db8::'])
  for (let at = 0; at < length; at++) text += pick(parts) + (at === length - 1 ? '' : pick(separators))
  return text + pick(['', '', '', '::', '%lo'])
}

function randomAddress(): string {
  const group = () => (random(2) === 0 ? '0' : random(65_536).toString(16))
  if (random(2) === 0) return Array.from({ length: 4 }, () => random(256)).join('.')
  const address = Array.from({ length: 8 }, group).join(':')
  return random(2) === 0 ? address : new SocketAddress({ address, family: 'ipv6' }).address
}

test('accepts exactly the strings that Node treats as addresses', () => {
  for (let round = 0; round < 20_000; round++) {
    const text = randomText()
    const bare = text.split('%')[0]!
    expect(parseAddress(text) !== undefined, text).toBe(isIP(bare) !== 0)
  }
})

test('gives every spelling of an address the same key', () => {
  for (let round = 0; round < 5000; round++) {
    const address = randomAddress()
    const key = addressKey(parseAddress(address)!)
    expect(addressKey(parseAddress(canonicalAddress(address)!)!), address).toBe(key)
  }
  expect(parseAddress('::ffff:7f00:1')).toEqual(parseAddress('127.0.0.1'))
})

test('a guard blocks the same addresses as the policy', () => {
  const guard = new HandleGuard({ allowPrivateNetwork: false })
  const special = [
    '::1',
    '64:ff9b::1',
    '2002:7f00:1::',
    '2001::1',
    '::ffff:10.0.0.1',
    '168.63.129.16',
    '100.64.0.1',
  ]
  for (let round = 0; round < 5000; round++) {
    const address = round < special.length ? special[round]! : randomAddress()
    expect(guard.permits(address, 80), address).toBe(!isPrivateAddress(address))
  }
})
