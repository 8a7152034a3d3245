import { expect, test } from 'vitest'
import { openApiDefinition } from '../../src/console/views/deploy/openapi-definition.ts'
import { validateDefinitions } from '../../src/shared/validation/validate-definitions.ts'

const info = { title: 'Pet Store (v2)', version: '1.0.0' }
const paths = {
  '/pets': {
    get: { operationId: 'listPets', responses: { 200: { description: 'the pets' } } },
    put: {
      requestBody: { content: { 'application/octet-stream': { schema: { type: 'string' } } } },
      responses: {},
    },
  },
}

test('an OpenAPI description in JSON becomes a valid definition that is named after its title', () => {
  const { text, warning } = openApiDefinition(JSON.stringify({ openapi: '3.0.3', info, paths }))!
  const { deploy: _deploy, ...definition } = JSON.parse(text)
  expect(validateDefinitions(definition)).not.toHaveProperty('problems')
  expect(definition).toMatchObject({
    name: 'pet-store-v2',
    template: 'advanced',
    tools: [{ name: 'listPets' }],
  })
  expect(warning).toMatch(/^PUT \/pets was skipped: /)
})

test('an OpenAPI description in YAML becomes a definition with the given name', () => {
  const yaml = `openapi: 3.1.0
info: { title: Pets, version: "1" }
paths:
  /pets/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, schema: { $ref: "#/components/schemas/Id" } }]
      responses: {}
components: { schemas: { Id: { type: integer } } }
`
  const { text, warning } = openApiDefinition(yaml, 'zoo')!
  expect(JSON.parse(text)).toMatchObject({ name: 'zoo', tools: [{ inputSchema: { required: ['id'] } }] })
  expect(warning).toBeUndefined()
})

test.each([
  ['a definition', '{ "name": "greeter", "tools": [{ "inputSchema": { "openapi": 1 } }] }'],
  ['broken JSON', '{ "openapi": '],
  ['a plain text', 'openapi'],
])('%s is not an OpenAPI description', (_what, text) => {
  expect(openApiDefinition(text)).toBeUndefined()
})

test.each([
  [{ swagger: '2.0', info, paths }, 'This is a Swagger 2.0 description.'],
  [{ openapi: '4.0.0', info, paths }, 'OpenAPI 4.0.0 is not supported.'],
  [{ openapi: '3.1.0', paths }, 'This is not a valid OpenAPI description.'],
  [
    { openapi: '3.1.0', info, paths: { '/a': { get: { parameters: 1 } } } },
    'This is not a valid OpenAPI description.',
  ],
  [{ openapi: '3.1.0', info, paths: {} }, 'The description contains no operation that can be a tool.'],
  [
    { openapi: '3.1.0', info, paths: { '/a': { $ref: 'paths.yaml#/a' } } },
    'The description refers to paths.yaml#/a, which is not part of it.',
  ],
])('the console rejects the OpenAPI description %j', (document, message) => {
  expect(() => openApiDefinition(JSON.stringify(document))).toThrow(message)
})

test('reports at most five omitted operations by name', () => {
  const many = Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [`/p${at}`, { put: paths['/pets'].put }]),
  )
  const { warning } = openApiDefinition(
    JSON.stringify({ openapi: '3.0.3', info, paths: { ...many, '/pets': { get: paths['/pets'].get } } }),
  )!
  expect(warning).toMatch(/PUT \/p4 was skipped: [^.]+\. 4 more were skipped\.$/)
})
