import { describe, expect, it } from 'vitest'
import { importPaths, ok } from './import-paths.ts'

describe('OpenAPI security', () => {
  it.each([
    [
      'bearer',
      { type: 'http', scheme: 'bearer' },
      { headers: { Authorization: 'Bearer {{ env.API_TOKEN }}' } },
      ['API_TOKEN'],
    ],
    [
      'basic',
      { type: 'http', scheme: 'basic' },
      {
        headers: {
          Authorization: 'Basic {{ env.API_USER | append: ":" | append: env.API_PASSWORD | base64_encode }}',
        },
      },
      ['API_USER', 'API_PASSWORD'],
    ],
    [
      'header key',
      { type: 'apiKey', in: 'header', name: 'X-Key' },
      { headers: { 'X-Key': '{{ env.API_KEY }}' } },
      ['API_KEY'],
    ],
    [
      'query key',
      { type: 'apiKey', in: 'query', name: 'key' },
      { query: { key: '{{ env.API_KEY }}' } },
      ['API_KEY'],
    ],
    [
      'cookie key',
      { type: 'apiKey', in: 'cookie', name: 'sid' },
      { headers: { Cookie: 'sid={{ env.API_KEY }}' } },
      ['API_KEY'],
    ],
    [
      'OAuth',
      { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://a.example/token', scopes: {} } } },
      { headers: { Authorization: 'Bearer {{ env.API_TOKEN }}' } },
      ['API_TOKEN'],
    ],
  ])('maps %s security to environment variables', async (_name, scheme, handler, variables) => {
    const { tools, env } = await importPaths(
      { '/a': { get: ok } },
      { security: [{ auth: [] }], components: { securitySchemes: { auth: scheme } } },
    )
    expect(tools[0].handler).toMatchObject(handler)
    expect(env.slice(1)).toMatchObject(variables.map(name => ({ name, required: true })))
  })

  it('joins cookies of parameters and of API keys in one header', async () => {
    const cookie = (name: string) => ({ type: 'apiKey', in: 'cookie', name })
    const parameter = (name: string) => ({ name, in: 'cookie', schema: { type: 'string' } })
    const { tools } = await importPaths(
      { '/a': { get: { parameters: ['theme', 'sid'].map(parameter), ...ok } } },
      {
        security: [{ session: [], device: [] }],
        components: { securitySchemes: { session: cookie('sid'), device: cookie('did') } },
      },
    )
    expect(tools[0].handler.headers).toEqual({
      Cookie: 'theme={{ theme }}; sid={{ env.SESSION_KEY }}; did={{ env.DEVICE_KEY }}',
    })
  })

  it('names variables after the security schemes if there are several, and sends no credentials for public operations', async () => {
    const bearer = { type: 'http', scheme: 'bearer' }
    const { tools, env } = await importPaths(
      {
        '/a': { get: { operationId: 'a', security: [{ userAuth: [] }], ...ok } },
        '/b': { get: { operationId: 'b', security: [{ 'admin-auth': [] }], ...ok } },
        '/c': { get: { operationId: 'c', security: [], ...ok } },
      },
      {
        security: [{ userAuth: [] }],
        components: { securitySchemes: { userAuth: bearer, 'admin-auth': bearer } },
      },
    )
    expect(env.map(({ name }) => name)).toEqual(['API_BASE_URL', 'USER_AUTH_TOKEN', 'ADMIN_AUTH_TOKEN'])
    expect(tools[2].handler).not.toHaveProperty('headers')
  })
})
