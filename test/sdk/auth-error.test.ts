import { expect, test } from 'vitest'
import { createAuthError } from '../../src/sdk/server.ts'

const resourceMetadataUrl = 'https://shop.example/.well-known/oauth-protected-resource'

test('an auth error is a tool error with a challenge', () => {
  expect(
    createAuthError({
      message: 'Sign in first.',
      resourceMetadataUrl,
      error: 'invalid_token',
      errorDescription: 'No token was sent',
    }),
  ).toEqual({
    content: [{ type: 'text', text: 'Sign in first.' }],
    isError: true,
    _meta: {
      'mcp/www_authenticate': [
        `Bearer resource_metadata="${resourceMetadataUrl}", error="invalid_token", error_description="No token was sent"`,
      ],
    },
  })
})

test('the challenge names the missing scope', () => {
  const { _meta } = createAuthError({
    message: 'Not allowed',
    resourceMetadataUrl,
    error: 'insufficient_scope',
    scope: 'orders:read orders:write',
  })
  expect(_meta!['mcp/www_authenticate']).toEqual([
    `Bearer resource_metadata="${resourceMetadataUrl}", scope="orders:read orders:write", error="insufficient_scope", error_description="Not allowed"`,
  ])
})

test('values in the challenge cannot break out of their quotes or line', () => {
  const { _meta } = createAuthError({ message: 'a "b" \\ c\r\nX-Evil: 1', resourceMetadataUrl })
  const [challenge] = _meta!['mcp/www_authenticate'] as [string]
  expect(challenge).toContain('error_description="a \\"b\\" \\\\ c X-Evil: 1"')
})
