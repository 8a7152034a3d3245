import { describe, expect, test } from 'vitest'
import { OAuthError } from '../../../../src/sdk/oauth/oauth-error.ts'
import { errorLocation } from '../../../../src/sdk/oauth/rules/authorization-response.ts'
import { readParameters } from '../../../../src/sdk/oauth/rules/parameters.ts'
import { isCodeChallenge, matchesChallenge } from '../../../../src/sdk/oauth/rules/pkce.ts'
import {
  canonicalResource,
  grantResources,
  narrowResources,
} from '../../../../src/sdk/oauth/rules/resource.ts'
import { grantScope, narrowScope, parseScope } from '../../../../src/sdk/oauth/rules/scope.ts'

describe('PKCE', () => {
  // The example of RFC 7636, appendix B.
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

  test('PKCE matches the example in the RFC', () => {
    expect(matchesChallenge(verifier, challenge)).toBe(true)
    expect(matchesChallenge(`${verifier}x`, challenge)).toBe(false)
  })

  test('PKCE never accepts the challenge itself, as the method "plain" would', () => {
    expect(matchesChallenge(challenge, challenge)).toBe(false)
  })

  test.each(['', 'short', verifier.slice(1), `${verifier} `, 'a'.repeat(129), `${verifier}=`])(
    'PKCE rejects the verifier "%s"',
    value => expect(matchesChallenge(value, challenge)).toBe(false),
  )

  test.each(['', 'x', `${challenge}=`, challenge.slice(1), `${challenge}A`, challenge.replace('-', '+')])(
    'PKCE rejects the challenge "%s"',
    value => expect(isCodeChallenge(value)).toBe(false),
  )
})

describe('parameters', () => {
  test('empty parameters are ignored', () => {
    expect(readParameters(new URLSearchParams('state=&scope=a')).get('state')).toBeUndefined()
  })

  test('repeated parameters are an error, except resource', () => {
    expect(() => readParameters(new URLSearchParams('state=a&state=b'))).toThrow(
      '"state" must not be repeated',
    )
    expect(readParameters(new URLSearchParams('resource=a&resource=b')).all('resource')).toEqual(['a', 'b'])
  })
})

describe('scope', () => {
  test('the granted scope is the requested scope, or all offered ones by default', () => {
    expect(grantScope([], ['a', 'b'])).toEqual(['a', 'b'])
    expect(grantScope(parseScope('b  b'), ['a', 'b'])).toEqual(['b'])
    expect(() => grantScope(['c'], ['a', 'b'])).toThrow('The scope "c" is unknown. Known scopes: a b.')
  })

  test('a refresh can only narrow the granted scope', () => {
    expect(narrowScope([], ['a', 'b'])).toEqual(['a', 'b'])
    expect(narrowScope(['a'], ['a', 'b'])).toEqual(['a'])
    expect(() => narrowScope(['c'], ['a', 'b'])).toThrow('"c" was not granted')
  })
})

describe('resources', () => {
  test.each([
    ['https://MCP.example.com', 'https://mcp.example.com'],
    ['https://mcp.example.com/', 'https://mcp.example.com'],
    ['https://mcp.example.com:443/mcp', 'https://mcp.example.com/mcp'],
    ['https://mcp.example.com/mcp/', 'https://mcp.example.com/mcp/'],
    ['http://localhost:3000/?a=1', 'http://localhost:3000/?a=1'],
  ])('the resource %s is normalized to %s', (resource, canonical) =>
    expect(canonicalResource(resource)).toBe(canonical),
  )

  test.each([
    'mcp.example.com',
    'https://x.example/#a',
    'https://x.example/#',
    'urn:a:b',
    'https://a@x.example',
    '',
  ])('%s is not a resource', resource => expect(canonicalResource(resource)).toBeUndefined())

  const open = { issuer: 'https://app.example', allowed: [] }
  const listed = {
    issuer: 'https://app.example',
    allowed: ['https://mcp.example/mcp', 'https://other.example'],
  }

  test("without a list, only resources on the issuer's origin are granted", () => {
    expect(grantResources(['https://app.example/mcp'], open)).toEqual(['https://app.example/mcp'])
    for (const foreign of [
      'https://app.example.evil.example/mcp',
      'https://app.example:8443/mcp',
      'http://app.example/mcp',
      'https://app.example@evil.example/mcp',
    ]) {
      expect(() => grantResources([foreign], open), foreign).toThrow(
        'Tokens cannot be issued for the resource',
      )
    }
  })

  test('the default resource is the first one in the list, or the issuer if there is no list', () => {
    expect(grantResources([], listed)).toEqual(['https://mcp.example/mcp'])
    expect(grantResources([], open)).toEqual(['https://app.example'])
    expect(grantResources(['https://other.example/'], listed)).toEqual(['https://other.example'])
    expect(() => grantResources(['https://app.example/mcp'], listed)).toThrow('Tokens cannot be issued')
  })

  test('a token can be limited to a subset of the granted resources', () => {
    expect(narrowResources([], listed.allowed)).toEqual(listed.allowed)
    expect(narrowResources(['https://other.example/'], listed.allowed)).toEqual(['https://other.example'])
    expect(() => narrowResources(['https://third.example'], listed.allowed)).toThrow('not for the resource')
  })
})

test('the error location has the state, the issuer, and a description in allowed characters', () => {
  const error = new OAuthError('invalid_scope', 'There is no "ü\\" here.')
  const location = errorLocation(
    { redirectUri: 'app://cb?x=1', state: 'a b&c', issuer: 'https://a.example' },
    error,
  )
  expect(location).toBe(
    'app://cb?x=1&error=invalid_scope&error_description=There+is+no+%27%3F%3F%27+here.&state=a+b%26c&iss=https%3A%2F%2Fa.example',
  )
})
