import { expect, test } from 'vitest'
import { isRegisteredRedirect, redirectUriProblem } from '../../../../src/sdk/oauth/rules/redirect-uri.ts'

test.each([
  'https://client.example/callback',
  'https://client.example:8443/cb?tenant=1',
  'http://localhost:33418/',
  'http://127.0.0.1/callback',
  'http://[::1]:4000/cb',
  'cursor://anysphere.cursor-retrieval/oauth/user-1/callback',
  'vscode://vscode.github-authentication/did-authenticate',
  'com.example.app:/oauth2redirect',
])('the redirect URI %s can be registered', uri => expect(redirectUriProblem(uri)).toBeUndefined())

test.each([
  ['http://client.example/callback', 'must use https'],
  ['http://127.0.0.1.evil.example/callback', 'must use https'],
  ['http://localhost.evil.example/', 'must use https'],
  ['http://127.0.0.1@evil.example/', 'user name'],
  ['http://localhost:80@evil.example/', 'user name'],
  ['http://127.0.0.2/callback', 'must use https'],
  ['http://2130706433/callback', 'must use https'],
  ['https://user:secret@client.example/', 'user name'],
  ['https://client.example/#fragment', 'fragment'],
  ['https://client.example/cb#', 'fragment'],
  ['https://*.client.example/cb', 'character'],
  ['https://client.example\\@evil.example/', 'character'],
  ['https://client.example/\r\nSet-Cookie: a=b', 'character'],
  ['https://client.example/cb\u0000', 'character'],
  ['https://cliënt.example/cb', 'character'],
  ['https://client.example/\u202e', 'character'],
  ['javascript:alert(1)', 'scheme'],
  ['JavaScript://client.example/%0aalert(1)', 'scheme'],
  ['data:text/html,hi', 'scheme'],
  ['file:///etc/passwd', 'scheme'],
  ['blob:https://client.example/1', 'scheme'],
  ['/callback', 'absolute'],
  ['//evil.example/callback', 'absolute'],
  ['', 'character'],
  ['https:///callback', 'host'],
  ['https:evil.example', 'host'],
  [`https://client.example/${'a'.repeat(2048)}`, 'longer'],
])('the redirect URI %j cannot be registered', (uri, reason) =>
  expect(redirectUriProblem(uri)).toContain(reason),
)

const registered = [
  'https://client.example/callback',
  'http://127.0.0.1/callback',
  'http://localhost:3000/cb?a=1',
]

test.each([
  'https://client.example/callback',
  'http://127.0.0.1/callback',
  'http://127.0.0.1:51004/callback',
  'http://localhost:9/cb?a=1',
])('the redirect URI %s is registered', uri => expect(isRegisteredRedirect(registered, uri)).toBe(true))

test.each([
  'https://client.example/callback/',
  'https://client.example/callback/../evil',
  'https://client.example/callback%2f..%2fevil',
  'https://client.example/callback?next=https://evil.example',
  'https://client.example/callback#fragment',
  'https://client.example:443/callback',
  'https://client.example:444/callback',
  'https://CLIENT.example/callback',
  'https://client.example.evil.example/callback',
  'https://evil.example/callback',
  'https://client.example@evil.example/callback',
  'https://client.example\\.evil.example/callback',
  'http://client.example/callback',
  'http://localhost/callback',
  'http://127.0.0.1/callback/',
  'http://127.0.0.1:51004/Callback',
  'http://127.0.0.1:51004/callback?x',
  'http://127.0.0.1:51004@evil.example/callback',
  'http://127.0.0.1:51004.evil.example/callback',
  'http://127.0.0.1:999999/callback',
  'http://127.0.0.1:/callback',
  'https://127.0.0.1/callback',
  'http://localhost:3000/cb?a=2',
])('the redirect URI %s is not registered', uri => expect(isRegisteredRedirect(registered, uri)).toBe(false))
