import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../helpers/daemon/daemon.ts'
import { OpenApiClient } from './openapi-client.ts'

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document has no static type
type Json = any

/** Checks `/openapi.json` for people and client generators. */
let daemon: TestDaemon
let api: OpenApiClient

beforeAll(async () => {
  daemon = await startTestDaemon()
  api = await OpenApiClient.open(daemon)
})

afterAll(() => daemon.close())

const schemas = (): Record<string, Json> => api.document.components.schemas

describe('the OpenAPI description', () => {
  test('every property in the OpenAPI description is described', () => {
    const undescribed: string[] = []
    walk(api.document, '', (node, path) => {
      if (typeof node.properties !== 'object' || path.endsWith('/properties')) return
      for (const [name, property] of Object.entries<Json>(node.properties))
        if (!describes(property)) undescribed.push(`${path}/${name}`)
    })
    expect(undescribed).toEqual([])
  })

  test('every operation, parameter, response, header, tag and schema in the OpenAPI description is described', () => {
    const { paths, components, tags } = api.document
    const parameters = api.operations.flatMap(({ spec }) => spec.parameters ?? [])
    const responses = Object.values<Json>(paths).flatMap(path =>
      Object.values<Json>(path).flatMap(({ responses }) => Object.values<Json>(responses)),
    )
    const named = ['schemas', 'responses', 'headers', 'parameters', 'securitySchemes'].flatMap(part =>
      Object.values<Json>(components[part]),
    )
    const all = [...parameters, ...responses, ...named, ...tags].filter(node => !node.$ref)
    expect(all.filter(node => !node.description)).toEqual([])
    expect(api.operations.filter(({ spec }) => !spec.summary)).toEqual([])
  })

  test('the schema of every request and response has a name', () => {
    const roots = api.operations.flatMap(({ spec }) => {
      const bodies = [spec.requestBody, ...Object.values<Json>(spec.responses).map(one => resolve(one))]
      return bodies.map(body => body?.content?.['application/json']?.schema).filter(Boolean)
    })
    expect(roots.filter(schema => !schema.$ref)).toEqual([])
    expect(Object.keys(schemas()).filter(name => !/^[A-Z][A-Za-z]+$/.test(name))).toEqual([])
  })

  test('the OpenAPI description has valid examples of every record and request', () => {
    const ajv = new Ajv2020({ strict: false })
    ;(addFormats as unknown as (target: Ajv2020) => void)(ajv)
    ajv.addSchema(api.document, 'openapi.json')
    for (const [name, { examples = [] }] of Object.entries(schemas()))
      for (const example of examples) {
        const validate = ajv.getSchema(`openapi.json#/components/schemas/${name}`)!
        expect(validate(example) ? [] : validate.errors, name).toEqual([])
      }
    const whole = api.operations.flatMap(({ spec }) => {
      const bodies = [spec.requestBody, ...Object.values<Json>(spec.responses).map(one => resolve(one))]
      return bodies.map(body => body?.content?.['application/json']?.schema?.$ref).filter(Boolean)
    })
    const records = [...new Set(whole.map(reference => recordOf(resolve({ $ref: reference }))))]
    expect(records.filter(record => !record.examples)).toEqual([])
  })

  test('the OpenAPI description has the documented models and defaults', () => {
    const { ai_model } = schemas().TestRequest.properties
    expect(JSON.stringify(ai_model)).toContain('["claude-sonnet-4-5","gpt-5.2","embedded"]')
    expect(ai_model.allOf[0].default).toBe('claude-sonnet-4-5')
    const { min_instances, max_instances } = schemas().DeployConfigInput.properties.scaling.properties
    expect([min_instances.allOf[0].default, max_instances.allOf[0].default]).toEqual([1, 10])
  })

  test('the OpenAPI description announces replays only for responses that are kept', () => {
    const replayed = api.operations.flatMap(({ spec }) =>
      Object.entries<Json>(spec.responses).flatMap(([status, response]) =>
        resolve(response).headers?.['Idempotent-Replayed'] ? [Number(status)] : [],
      ),
    )
    expect(replayed).toContain(409)
    expect(replayed.filter(status => status >= 500 || [401, 403, 412, 429, 499].includes(status))).toEqual([])
  })

  test('the OpenAPI description has on average fewer than 3620 characters per operation', async () => {
    const { text } = await daemon.api('GET', '/openapi.json', { key: null })
    expect(text.length / api.operations.length).toBeLessThan(3620)
  })
})

describe('/openapi.json', () => {
  const ask = (headers: Record<string, string>) => fetch(`${daemon.url}/openapi.json`, { headers })

  test('/openapi.json is compressed for clients that accept gzip', async () => {
    const compressed = await ask({ 'accept-encoding': 'br, gzip;q=0.5' })
    expect(compressed.headers.get('content-encoding')).toBe('gzip')
    expect(Number(compressed.headers.get('content-length'))).toBeLessThan(50_000)
    expect(await compressed.json()).toEqual(api.document)
    for (const refused of ['identity', 'gzip;q=0', 'gzip;q=0, *'])
      expect((await ask({ 'accept-encoding': refused })).headers.get('content-encoding'), refused).toBeNull()
  })

  test('/openapi.json answers 304 to clients that have the current document', async () => {
    const etag = (await ask({})).headers.get('etag')!
    const again = await ask({ 'if-none-match': `"other", ${etag}` })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    expect((await ask({ 'if-none-match': '"other"' })).status).toBe(200)
  })
})

function resolve(node: Json): Json {
  if (!node.$ref) return node
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((at: Json, step: string) => at[step], api.document)
}

/** True when the schema or its target has a description. */
function describes(property: Json): boolean {
  return Boolean(property.description ?? (property.$ref && resolve(property).description))
}

/** Record schema inside an envelope or a page. */
function recordOf(schema: Json): Json {
  const { success, data, items } = schema.properties ?? {}
  if (success && data) return recordOf(resolve(data))
  return items?.items?.$ref && !schema.examples ? recordOf(resolve(items.items)) : schema
}

function walk(node: Json, path: string, visit: (node: Json, path: string) => void): void {
  if (typeof node !== 'object' || node === null) return
  visit(node, path)
  for (const [key, value] of Object.entries(node))
    if (!/^examples?$/.test(key)) walk(value, `${path}/${key}`, visit)
}
