import { expect, test } from 'vitest'
import type { TemplateHandler } from '../../../../src/shared/definitions/definitions.ts'
import { callTool, createCall, createTool, prepare, textOf } from '../../../helpers/instance/prepared.ts'

const template = (parts: Partial<TemplateHandler>): TemplateHandler => ({ type: 'template', ...parts })

test('a text template reads arguments, data, declared variables and the request context', async () => {
  const text = '{{ city }} {{ args.city }} {{ data.table[city] }} {{ env.REGION }} {{ context.user_id }}'
  const result = await callTool(
    { handler: template({ text }) },
    { city: 'Oslo' },
    {
      artifact: {
        data: { table: { Oslo: 4 } },
        env: [{ name: 'REGION', required: false, default: 'north' }],
      },
      call: createCall({ hostingContext: { user_id: 'u1' } }),
    },
  )
  expect(result).toEqual({ content: [{ type: 'text', text: 'Oslo Oslo 4 north u1' }] })
})

test('a variable without a value is empty, even under a name that every object has', async () => {
  const result = await callTool(
    { handler: { type: 'template', text: '[{{ env.constructor }}{{ env.toString }}]' } },
    {},
    {
      artifact: { env: ['constructor', 'toString', 'KEY'].map(name => ({ name, required: false })) },
      tenant: { env: { KEY: 'secret' } },
    },
  )
  expect(textOf(result)).toBe('[]')
})

test('no argument hides data, env or the other arguments', async () => {
  const handler = template({ text: '{{ data.a }}{{ args.data }}{{ env.A }}' })
  const result = await callTool(
    { handler },
    { data: 'mine', env: { A: 'forged' } },
    { artifact: { data: { a: 1 } } },
  )
  expect(textOf(result)).toBe('1mine')
})

test('undeclared environment variables cannot be read', async () => {
  const result = await callTool(
    { handler: template({ text: '[{{ env.SECRET }}]' }) },
    {},
    {
      tenant: { env: { SECRET: 's' } },
    },
  )
  expect(textOf(result)).toBe('[]')
})

test('a JSON template keeps the type of single expressions and omits missing values', async () => {
  const json = {
    n: '{{ n }}',
    text: 'n={{ n }}',
    list: ['{{ list }}', '{{ nothing }}'],
    none: '{{ nothing }}',
    fixed: 1,
  }
  const result = await callTool({ handler: template({ json }) }, { n: 2, list: [1, 'a'] })
  expect(JSON.parse(textOf(result))).toEqual({ n: 2, text: 'n=2', list: [[1, 'a'], null], fixed: 1 })
  expect(result).not.toHaveProperty('structuredContent')
})

test('an assignment in one template does not reach the next', async () => {
  const json = ['{% assign x = 1 %}{{ x }}', '{{ x }}']
  expect(textOf(await callTool({ handler: template({ json }) }))).toBe('["1",null]')
})

test('renders every string of a content block except type and _meta', async () => {
  const result = await callTool(
    {
      handler: template({
        content: [
          { type: 'image', data: '{{ data }}', mimeType: 'image/{{ kind }}', annotations: { priority: 1 } },
          {
            type: 'resource',
            resource: { uri: 'a://{{ kind }}', text: '{{ kind }}', _meta: { t: '{{ kind }}' } },
          },
        ],
      }),
    },
    { kind: 'png' },
    { artifact: { data: 'AAAA' } },
  )
  expect(result.content).toEqual([
    { type: 'image', data: 'AAAA', mimeType: 'image/png', annotations: { priority: 1 } },
    { type: 'resource', resource: { uri: 'a://png', text: 'png', _meta: { t: '{{ kind }}' } } },
  ])
})

test('a result is a tool error if isError is true or a template that renders to true', async () => {
  const handler = template({ text: 'x', isError: '{% if n > 1 %}true{% endif %}' })
  expect((await callTool({ handler }, { n: 2 })).isError).toBe(true)
  expect((await callTool({ handler }, { n: 1 })).isError).toBeUndefined()
  expect((await callTool({ handler: template({ text: 'x', isError: true }) })).isError).toBe(true)
})

test('a template handler sends its steps in order before the answer', async () => {
  const call = createCall()
  const handler = template({
    text: 'done',
    emit: [
      { log: { level: 'warning', message: 'for {{ who }}', logger: 'l' } },
      { waitMs: 1 },
      { progress: { progress: 1, total: 2, message: 'half of {{ who }}' } },
    ],
  })
  expect(textOf(await callTool({ handler }, { who: 'me' }, { call }))).toBe('done')
  expect(call.sent).toEqual([
    ['log', 'warning', 'for me', 'l'],
    ['progress', 1, 2, 'half of me'],
  ])
})

test('a cancelled call stops waiting and sends nothing more', async () => {
  const controller = new AbortController()
  const call = createCall({ signal: controller.signal })
  const handler = template({
    text: 'done',
    emit: [{ waitMs: 10_000 }, { log: { level: 'info', message: 'too late' } }],
  })
  const result = callTool({ handler }, {}, { call })
  controller.abort()
  expect(await result).toMatchObject({ isError: true })
  expect(call.sent).toEqual([])
})

test('only tools with steps stream their answers', () => {
  const step = template({ text: 'x', emit: [{ progress: { progress: 1 } }] })
  const tools = [
    createTool({ name: 'a', handler: template({ text: 'x' }) }),
    createTool({ name: 'b', handler: step }),
  ]
  const server = prepare({ tools })
  expect(tools.map(({ name }) => server.findTool(name)!.streams)).toEqual([false, true])
})

test('a plain tool answers synchronously from its second call on', async () => {
  const server = prepare({ tools: [createTool({ handler: template({ text: '{{ a }}' }) })] })
  const tool = server.findTool('tool')!
  await tool.call({ a: 1 }, createCall())
  expect(tool.call({ a: 2 }, createCall())).toEqual({ content: [{ type: 'text', text: '2' }] })
})

const RUNAWAYS = {
  'a long loop': '{% for i in (1..9999999) %}{% for j in (1..9999999) %}x{% endfor %}{% endfor %}',
  'a loop with a large output': '{% for i in (1..900000) %}{{ big }}{% endfor %}',
  'a text that doubles repeatedly':
    '{% assign s = big %}{% for i in (1..60) %}{% assign s = s | append: s %}{% endfor %}{{ s }}',
  'a captured text that doubles repeatedly':
    '{% assign s = big %}{% for i in (1..60) %}{% capture s %}{{ s }}{{ s }}{% endcapture %}{% endfor %}{{ s }}',
  'a filter that fails':
    '{{ 1 | divided_by: 0 }}{{ "x" | date: nil | split: 5 | where: 1 }}{{ "%" | url_decode }}',
}

test.each(Object.entries(RUNAWAYS))('%s is stopped with a tool error', async (_name, text) => {
  const result = await callTool({ handler: template({ text }) }, { big: 'x'.repeat(10_000) })
  expect(result.isError).toBe(true)
  expect(textOf(result)).toMatch(/tool failed: its template cannot be rendered/)
})

test('templates cannot reach the prototypes and functions of a value', async () => {
  const text =
    '{{ a.constructor }}{{ a.__proto__ }}{{ a.toString }}{{ constructor }}{{ list.map }}{{ args.constructor.name }}'
  expect(textOf(await callTool({ handler: template({ text }) }, { a: { b: 1 }, list: [1] }))).toBe('')
})

test('template errors contain no environment values', async () => {
  const handler = template({
    text: '{{ env.TOKEN | divided_by: 0 }}{{ "%" | append: env.TOKEN | url_decode }}',
  })
  const result = await callTool(
    { handler },
    {},
    {
      artifact: { env: [{ name: 'TOKEN', required: true }] },
      tenant: { env: { TOKEN: 'very-secret-token' } },
    },
  )
  expect(result.isError).toBe(true)
  expect(JSON.stringify(result)).not.toContain('very-secret')
})
