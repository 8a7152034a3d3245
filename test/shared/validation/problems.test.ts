import { describe, expect, test } from 'vitest'
import {
  problemsOf,
  prompt,
  resource,
  server,
  withHandler,
  withHttp,
  withInput,
  withPrompt,
  withResource,
  withText,
  withTool,
} from '../../fixtures/definitions.ts'

const LONG = 'x'.repeat(80)
const fields = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`unknownfield${index}`, value]))
const program = (extra: object) =>
  server({ template: 'custom', program: { type: 'stdio', command: 'a', ...extra } })
const withClosedInput = (text: string, more: object = {}) =>
  withTool({
    inputSchema: { type: 'object', additionalProperties: false, ...more },
    handler: { type: 'template', text },
  })

test.each([
  ['only resources and prompts', server({ resources: [resource], prompts: [prompt] })],
  ['a tool name of 128 characters', withTool({ name: 'a'.repeat(128) })],
  ['any characters in the name of a prompt', withPrompt({ name: 'a b ü' })],
  ['icons', withTool({ icons: [{ src: 'https://a/b.png' }, { src: 'data:image/png;base64,AA==' }] })],
  ['text without templates', withText('plain')],
  ['2000 tags', withText('{{ city }}'.repeat(2000))],
  ['a percent-encoded URI', withResource({ uri: 'a://b%20c' })],
  ['completions for a variable', withResource({ uri: 'a://{b}', completions: { b: ['1'] } })],
  ['arguments in an alternative', withClosedInput('{{ b }}', { anyOf: [{ properties: { b: {} } }] })],
  ['an http URL', withHttp({ url: 'http://api.example/a' })],
  ['a body in a POST request', withHttp({ method: 'POST', body: 'x' })],
  ['a tab in a header', withHttp({ headers: { a: 'b\tc' } })],
  ['a schema with 1000 subschemas', withInput({ type: 'object', properties: fields(999, {}) })],
])('accepts definitions with %s', (_, input) => {
  expect(problemsOf(input)).toEqual([])
})

describe('the only problem in the definitions', () => {
  test.each([
    [
      withTool({ name: 'a b' }),
      'tools[0].name: "a b" may only contain letters, digits, "_", "-", "." and "/"',
    ],
    [withTool({ name: 'a'.repeat(129) }), 'tools[0].name: has 129 characters; the maximum is 128'],
    [withPrompt({ name: 'a\u0007' }), 'prompts[0].name: "a\\u0007" contains a control character'],
    [
      server({ page_size: 5, template: 'basic' }),
      'page_size: template "basic" does not support pagination; set "template": "advanced"',
    ],
    [
      server({ source: 'src_1', template: 'basic' }),
      'source: template "basic" does not support source archives; set "template": "custom"',
    ],
    [
      withTool({ icons: [{ src: `ftp://${LONG}` }] }),
      `tools[0].icons[0].src: "ftp://${'x'.repeat(54)}" must start with https: or data:`,
    ],
    [withTool({ description: '' }), 'tools[0].description: must not be empty'],
    [
      withTool(fields(1, 1)),
      'tools[0].unknownfield0: is not a known field; known fields: "name", "description", "inputSchema", "title", "outputSchema", "annotations", "icons", "_meta", "handler"',
    ],
    [withTool({ annotations: 5 }), 'tools[0].annotations: must be an object, not 5'],
    [server({ env_vars: { PIN: 1234 } }), 'env_vars.PIN: must be a string, not a number'],
    [server({ env: [{ name: 'PIN', default: 1234 }] }), 'env[0].default: must be a string, not a number'],
    [server({ env: [5] }), 'env[0]: must be a string or an object, not 5'],
    [server({ env: [{}] }), 'env[0].name: is required (a string)'],
    [
      server({ env: [{ name: 'A', requird: true }] }),
      'env[0].requird: is not a known field; did you mean "required"?',
    ],
    [withHandler({ text: 'a' }), 'tools[0].handler.type: is required (one of "template", "http", "module")'],
    [withTool({ handler: null }), 'tools[0].handler: must be an object, not null'],
    [withTool({ handler: 'x' }), 'tools[0].handler: must be an object, not "x"'],
    [program({ isolation: 5 }), 'program.isolation: 5 is not one of "session", "shared"'],
    [
      program({ isolation: { childrn: 'x' } }),
      'program.isolation.childrn: is not a known field; did you mean "children"?',
    ],
    [
      program({ type: 'stdoi' }),
      'program.type: "stdoi" is not one of "stdio", "http", "image"; did you mean "stdio"?',
    ],
    [server({ page_size: 1.5 }), 'page_size: must be a whole number, not 1.5'],
    [server({ template: LONG }), `template: "${'x'.repeat(59)}… is not one of "basic", "advanced", "custom"`],
    [
      server({ template: 'x'.repeat(58) }),
      `template: "${'x'.repeat(58)}" is not one of "basic", "advanced", "custom"`,
    ],
    [server({ template: {} }), 'template: an object is not one of "basic", "advanced", "custom"'],
    [server({ template: null }), 'template: null is not one of "basic", "advanced", "custom"'],
    [
      withText('{% iff a %}{% endiff %}'),
      'tools[0].handler.text: is not valid Liquid: tag "iff" not found (line 1, column 1); did you mean "if"?',
    ],
    [
      withText(`${'\n'.repeat(11)}${' '.repeat(12)}{{ a | upcas }}`),
      'tools[0].handler.text: is not valid Liquid: undefined filter: upcas (line 12, column 13); did you mean "upcase"?',
    ],
    [
      withPrompt({ template: '{{ a }}', completions: { a: '{{' } }),
      'prompts[0].completions.a: is not valid Liquid: output "{{" not closed (line 1, column 1)',
    ],
    [withResource({ uri: 'a://b%2' }), 'resources[0].uri: "a://b%2" contains "%"; percent-encode it as %25'],
    [
      withResource({ uri: 'a://b%20%2' }),
      'resources[0].uri: "a://b%20%2" contains "%"; percent-encode it as %25',
    ],
    [withResource({ uri: 'a://bü' }), 'resources[0].uri: "a://bü" contains "ü"; percent-encode it as %C3%BC'],
    [
      withResource({ uri: 'a://b', completions: { x: ['1'] } }),
      'resources[0].completions.x: is not a variable of the URI "a://b"; its variables: none',
    ],
    [
      withResource({ uri: 'a://{b}/{c}', completions: { b: ['1'], x: ['1'] } }),
      'resources[0].completions.x: is not a variable of the URI "a://{b}/{c}"; its variables: "b", "c"',
    ],
    [
      withResource({ uri: 'a://{b}', text: '{{ b }}{{ offsett }}' }),
      'resources[0].text: reads "offsett", which does not exist; known names: "b"',
    ],
    [
      withClosedInput('{{ args[0] }}{{ zzzz }}'),
      'tools[0].handler.text: reads "zzzz", which does not exist; there are no arguments',
    ],
    [
      withHttp({ url: 'x https://api.example/a' }),
      'tools[0].handler.url: "x https://api.example/a" is not an http or https URL such as https://api.example.com/cities',
    ],
    [
      withHttp({ url: 'https://[' }),
      'tools[0].handler.url: "https://[" is not an http or https URL such as https://api.example.com/cities',
    ],
    [
      withHttp({ url: 'http://user:pw@api.example/a' }),
      'tools[0].handler.url: contains a user name or password; send it in a header that reads "env"',
    ],
    [
      withHttp({ method: 'HEAD', body: 'x' }),
      'tools[0].handler.body: cannot be sent with HEAD; set "method": "POST"',
    ],
    [
      withHttp({ headers: { a: 'b\nc' } }),
      'tools[0].handler.headers.a: contains a line break or another control character',
    ],
    [
      withInput({ type: 'object', $dynamicRef: 'https://a/b' }),
      'tools[0].inputSchema.$dynamicRef: "https://a/b" refers outside the schema; only internal references ("#/$defs/…") are supported',
    ],
    [
      withInput({ type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 1 } } }),
      'tools[0].inputSchema.properties.a.x-mcp-header: 1 is not valid in an HTTP header name; use for example "Region"',
    ],
    [
      withInput({ type: 'object', anyOf: [{ properties: { a: { type: 'string', 'x-mcp-header': 'A' } } }] }),
      'tools[0].inputSchema.anyOf[0].properties.a.x-mcp-header: is only allowed on arguments that are nested only in "properties"',
    ],
  ])('%#: %j is reported as %s', (input, problem) => {
    expect(problemsOf(input)).toEqual([problem])
  })
})

test('at most twenty unknown fields of an object are reported, with shortened names', () => {
  expect(problemsOf(withTool(fields(30, 1)))).toHaveLength(20)
  expect(problemsOf(server({ [LONG]: 1 }))).toEqual([
    expect.stringMatching(/^\["x{60}…"\]: is not a known field; known fields: "name", /),
  ])
})
