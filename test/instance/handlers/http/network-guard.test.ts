import { expect, test } from 'vitest'
import { refuseClosedHost } from '../../../../src/instance/handlers/http/network-guard.ts'
import { NetworkPolicy } from '../../../../src/shared/network/network-policy.ts'

const policy = new NetworkPolicy({ allowPrivateNetwork: false })

test('treats a host written as a number or in octal as its address', () => {
  for (const host of [
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '[::1]',
    '[::ffff:7f00:1]',
    '169.254.169.254',
  ])
    expect(() => refuseClosedHost(new URL(`http://${host}/`), policy), host).toThrow(/private network/)
  expect(() => refuseClosedHost(new URL('http://example.com/'), policy)).not.toThrow()
})

test('applies the list of allowed hosts to declared HTTP handlers, with the default port of the scheme', () => {
  const listed = new NetworkPolicy({
    allowPrivateNetwork: false,
    network: { allow: ['api.example.com:443'] },
  })
  expect(() => refuseClosedHost(new URL('https://api.example.com/x'), listed)).not.toThrow()
  expect(() => refuseClosedHost(new URL('http://api.example.com/x'), listed)).toThrow(
    'Add "api.example.com:80" to deploy.network.allow to permit it.',
  )
})
