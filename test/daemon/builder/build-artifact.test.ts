import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { buildArtifact } from '../../../src/daemon/builder/build-artifact.ts'
import { parseBuildRequest } from '../../../src/shared/validation/validate-definitions.ts'

const tool = {
  name: 'current',
  description: 'Current weather',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
}
const definitions = { name: 'weather', template: 'basic', tools: [tool] }
const build = (extra: object = {}) => buildArtifact(parseBuildRequest({ ...definitions, ...extra }))

test('the same definitions result in the same bytes, in any field order', () => {
  const { inputSchema, description, name } = tool
  const turned = { tools: [{ inputSchema, description, name }], template: 'basic', name: 'weather' }
  expect(buildArtifact(parseBuildRequest(turned)).bytes).toBe(build().bytes)
})

test('the digest is the SHA-256 of the bytes and changes with the definitions', () => {
  const { digest, bytes } = build()
  expect(digest).toBe(createHash('sha256').update(bytes).digest('hex'))
  expect(build({ title: 'Weather' }).digest).not.toBe(digest)
})

test('a schema without a root type becomes an object schema, and other schemas are unchanged', () => {
  const { artifact } = build({
    tools: [
      { ...tool, inputSchema: {} },
      { ...tool, name: 'b', inputSchema: { $defs: {}, type: 'object' } },
    ],
  })
  expect(artifact.tools.map(({ inputSchema }) => inputSchema)).toEqual([
    { type: 'object' },
    { $defs: {}, type: 'object' },
  ])
})

test('the variables of a prompt become arguments, required unless they have a default', () => {
  const template = 'Write to {{ name }} in {{ style | default: "plain" }} words about {{ data.topic }}'
  const prompts = [
    { name: 'letter', description: 'A letter', template, arguments: [{ name: 'name', description: 'Whom' }] },
  ]
  expect(build({ prompts, data: { topic: 'rain' } }).artifact.prompts[0]!.arguments).toEqual([
    { name: 'name', description: 'Whom', required: true },
    { name: 'style', required: false },
  ])
})

test('variables in branches and loops become arguments, but names that the template assigns do not', () => {
  const template =
    '{% assign a = x | upcase %}{% for item in items %}{% if flag %}{{ item }}{{ a }}{% endif %}{% endfor %}'
  const [prompt] = build({ prompts: [{ name: 'p', description: 'd', template }] }).artifact.prompts
  expect(prompt!.arguments.map(({ name }) => name).toSorted()).toEqual(['flag', 'items', 'x'])
})

test('a default inside a branch makes its variable optional', () => {
  const template = '{% if loud %}{{ name | default: "YOU" }}{% else %}{{ name }}{% endif %}'
  const [prompt] = build({ prompts: [{ name: 'p', description: 'd', template }] }).artifact.prompts
  expect(prompt!.arguments.find(({ name }) => name === 'name')).toEqual({ name: 'name', required: false })
})

test('environment variables are declared with all their fields', () => {
  const { artifact } = build({ env: ['REGION', { name: 'TOKEN', required: true }] })
  expect(artifact.env).toEqual([
    { name: 'REGION', required: false },
    { name: 'TOKEN', required: true },
  ])
})

test('metadata in the request takes precedence over metadata in the code', () => {
  const program = { type: 'module' as const, bundle: 'f'.repeat(64) }
  const server = { name: 'inner', title: 'From the code', version: '3.1.0', instructions: 'Ask twice.' }
  const request = parseBuildRequest({ name: 'weather', template: 'custom', title: 'Weather' })
  const { artifact } = buildArtifact(request, { program, server, capabilities: { logging: true } })
  expect(artifact).toMatchObject({ program, capabilities: { logging: true } })
  expect(artifact.server).toEqual({
    name: 'weather',
    title: 'Weather',
    version: '3.1.0',
    instructions: 'Ask twice.',
  })
})
