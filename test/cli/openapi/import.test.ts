import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importOpenApi } from '../../../src/cli/openapi/import.ts'
import { compileSchema } from '../../../src/shared/json/json-schema.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'
import { importPaths, json, ok } from './import-paths.ts'

describe('OpenAPI import', () => {
  it('maps parameters to path, query, headers and cookies', async () => {
    const { tools } = await importPaths({
      '/pets/{pet-id}': {
        parameters: [{ name: 'pet-id', in: 'path', required: true, schema: { type: 'integer' } }],
        get: {
          operationId: 'getPet',
          parameters: [
            { name: 'fields', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
            {
              name: 'sort',
              in: 'query',
              explode: false,
              schema: { type: 'array', items: { type: 'string' } },
            },
            { name: 'limit', in: 'query', schema: { type: 'integer', default: 3 } },
            { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
            { name: 'Authorization', in: 'header', schema: { type: 'string' } },
            { name: 'theme', in: 'cookie', schema: { type: 'string' } },
          ],
          ...ok,
        },
      },
    })
    expect(tools).toMatchObject([
      {
        name: 'getPet',
        annotations: { readOnlyHint: true },
        inputSchema: { required: ['pet-id'], additionalProperties: false },
        handler: {
          type: 'http',
          method: 'GET',
          url: '{{ env.API_BASE_URL }}/pets/{{ args["pet-id"] | url_encode | replace: "+", "%20" }}?{% for value in fields %}fields={{ value | url_encode }}&{% endfor %}',
          query: { sort: '{{ sort | join: "," }}', limit: '{{ limit }}' },
          headers: { 'X-Trace': '{{ args["X-Trace"] }}', Cookie: 'theme={{ theme }}' },
        },
      },
    ])
    expect(Object.keys(tools[0].inputSchema.properties)).not.toContain('Authorization')
  })

  it('maps fields of a JSON body, or a complex body as a whole, to arguments', async () => {
    const pet = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, id: { type: 'integer', readOnly: true } },
    }
    const { tools } = await importPaths(
      {
        '/pets': {
          post: { requestBody: { required: true, ...json({ $ref: '#/components/schemas/Pet' }) }, ...ok },
          put: {
            requestBody: {
              required: true,
              ...json({ type: 'array', items: { $ref: '#/components/schemas/Pet' } }),
            },
            ...ok,
          },
        },
        '/pets/{name}': {
          patch: {
            parameters: [{ name: 'name', in: 'path', required: true, schema: { type: 'string' } }],
            requestBody: json({ $ref: '#/components/schemas/Pet' }),
            ...ok,
          },
        },
        '/login': {
          post: {
            requestBody: {
              content: {
                'application/x-www-form-urlencoded': {
                  schema: { type: 'object', properties: { user: { type: 'string' } } },
                },
              },
            },
            ...ok,
          },
        },
      },
      { components: { schemas: { Pet: pet } } },
    )
    const handlers = Object.fromEntries(tools.map(tool => [tool.name, tool.handler]))
    expect(handlers.post_pets.body).toEqual({ name: '{{ name }}' })
    expect(handlers.put_pets.body).toBe('{{ body }}')
    expect(handlers.patch_pets_name.body).toBe('{{ body }}')
    expect(handlers.post_login).toMatchObject({
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: '{% if user != nil %}user={{ user | url_encode }}&{% endif %}',
    })
    const put = tools.find(({ name }) => name === 'put_pets')
    expect(put.inputSchema.$defs.Pet.properties).toEqual({ name: { type: 'string' } })
  })

  it('uses the server URL of the document, and allows the private network if the URL is private', async () => {
    const paths = { '/a': { get: ok } }
    const variables = { version: { default: 'v2' } }
    const given = await importPaths(paths, {
      servers: [{ url: 'https://api.example.com/{version}/', variables }],
    })
    expect(given.env[0]).toMatchObject({ name: 'API_BASE_URL', default: 'https://api.example.com/v2' })
    expect(given).not.toHaveProperty('deploy')
    const relative = await importPaths(paths, { servers: [{ url: '/v1' }] })
    expect(relative.env[0]).toMatchObject({ required: true })
    const local = await importPaths(paths, { servers: [{ url: 'http://localhost:3000' }] })
    expect(local.deploy).toEqual({ development: { allow_private_network: true } })
  })

  it('converts 3.0 schemas and keeps circular references', async () => {
    const { tools } = await importPaths(
      {
        '/nodes': {
          post: {
            requestBody: json({
              type: 'object',
              properties: {
                size: { type: 'integer', nullable: true, minimum: 0, exclusiveMinimum: true, example: 4 },
                kind: { type: 'string', nullable: true, enum: ['a', 'b'] },
                node: { $ref: '#/components/schemas/Node' },
              },
            }),
            ...ok,
          },
        },
      },
      {
        components: {
          schemas: {
            Node: {
              type: 'object',
              properties: { children: { type: 'array', items: { $ref: '#/components/schemas/Node' } } },
              xml: { name: 'node' },
            },
          },
        },
      },
    )
    const { inputSchema } = tools[0]
    expect(inputSchema.properties).toEqual({
      size: { type: ['integer', 'null'], exclusiveMinimum: 0, examples: [4] },
      kind: { type: ['string', 'null'], enum: ['a', 'b', null] },
      node: { $ref: '#/$defs/Node' },
    })
    expect(inputSchema.$defs).toEqual({
      Node: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/Node' } } } },
    })
    const validate = compileSchema(inputSchema)
    expect(validate({ size: null, node: { children: [{ children: [] }] } })).toBe(true)
    expect(validate({ size: 0 })).toBe(false)
  })

  it('uses the schema of an object response as outputSchema, without write-only properties', async () => {
    const object = {
      type: 'object',
      properties: { id: { type: 'integer' }, secret: { type: 'string', writeOnly: true } },
    }
    const { tools } = await importPaths({
      '/a': { get: { operationId: 'a', responses: { 201: { description: 'made', ...json(object) } } } },
      '/b': {
        get: {
          operationId: 'b',
          responses: { 200: { description: 'list', ...json({ type: 'array', items: {} }) } },
        },
      },
    })
    expect(tools[0].outputSchema).toEqual({ type: 'object', properties: { id: { type: 'integer' } } })
    expect(tools[1]).not.toHaveProperty('outputSchema')
  })

  it('creates unique names that every client accepts', async () => {
    const { tools } = await importPaths({
      '/a': { get: { operationId: 'pets/list all', ...ok }, post: { operationId: 'pets-list_all', ...ok } },
      '/b': { get: { operationId: 'pets list all', ...ok }, put: { operationId: 'x'.repeat(80), ...ok } },
      [`/${'y'.repeat(80)}`]: { get: ok },
    })
    const names = tools.map(({ name }) => name)
    expect(names.slice(0, 3)).toEqual(['pets_list_all', 'pets-list_all', 'pets_list_all_2'])
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  })

  it('lists skipped operations with reasons', async () => {
    const { tools, warnings } = await importPaths(
      {
        '/upload': {
          post: {
            requestBody: { content: { 'multipart/form-data': { schema: { type: 'object' } } } },
            ...ok,
          },
        },
        '/tls': { get: { security: [{ cert: [] }], ...ok } },
        '/fine': { get: { deprecated: true, summary: 'Fine', ...ok } },
      },
      { openapi: '3.1.0', components: { securitySchemes: { cert: { type: 'mutualTLS' } } } },
    )
    expect(tools.map(({ description }) => description)).toEqual(['Fine (deprecated)'])
    expect(warnings).toEqual([
      'POST /upload was skipped: it requires multipart/form-data, not JSON.',
      'GET /tls was skipped: its security scheme is not supported with environment variables.',
    ])
  })

  it('imports other local files that the document refers to', async () => {
    const { tools } = await importPaths(
      { '/a': { post: { requestBody: json({ $ref: './pet.yaml' }), ...ok } } },
      {},
      { 'pet.yaml': 'type: object\nproperties:\n  name:\n    type: string\n' },
    )
    expect(tools[0].handler.body).toEqual({ name: '{{ name }}' })
  })

  it.each([
    [
      'a document with a network reference',
      '{"openapi":"3.0.3","paths":{"/a":{"$ref":"https://x.example/a.json"}}}',
      'network references are not supported',
    ],
    [
      'a Swagger 2.0 description',
      '{"swagger":"2.0","info":{"title":"a","version":"1"},"paths":{}}',
      'it is a Swagger 2.0 description',
    ],
    ['JSON without a description', '{"hello":1}', 'is not a valid OpenAPI 3 description'],
    ['broken YAML', 'openapi: [', 'is not a valid OpenAPI 3 description'],
    ['an invalid description', '{"openapi":"3.0.3","paths":{}}', "must have required property 'info'"],
  ])('OpenAPI import rejects %s', async (_name, text, words) => {
    using folder = createProjectFolder({ 'api.yaml': text })
    const error = await importOpenApi(join(folder.path, 'api.yaml'), 'desk').catch(one => one)
    expect(error).toMatchObject({ code: 'INVALID_REQUEST' })
    expect(`${error.message}\n${error.details}`).toContain(words)
  })
})
