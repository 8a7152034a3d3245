import { describe, expect, test } from 'vitest'
import { RpcError } from '../../../src/instance/protocol/json-rpc.ts'
import type { PromptDefinition, ResourceDefinition } from '../../../src/shared/definitions/definitions.ts'
import { createCall, createTool, prepare } from '../../helpers/instance/prepared.ts'

const members = (text: string) => JSON.parse(`{${text}}`)

describe('lists of a declared server', () => {
  test('lists contain only MCP fields', () => {
    const server = prepare({
      tools: [
        createTool({
          title: 'T',
          annotations: { readOnlyHint: true },
          handler: { type: 'template', text: 'secret' },
        }),
      ],
      resources: [
        createResource({ text: 'secret' }),
        createResource({ uri: 'a://{x}', completions: { x: ['secret'] } }),
      ],
      prompts: [createPrompt({ template: 'secret' })],
      data: 'secret',
    })
    expect(members(server.listTools())).toEqual({
      tools: [
        {
          name: 'tool',
          title: 'T',
          description: 'A tool',
          inputSchema: { type: 'object' },
          annotations: { readOnlyHint: true },
        },
      ],
    })
    expect(members(server.listResources()).resources).toHaveLength(1)
    expect(members(server.listResourceTemplates()).resourceTemplates).toEqual([
      { uriTemplate: 'a://{x}', name: 'r', description: 'd', mimeType: 'text/plain' },
    ])
    const all =
      server.listTools() + server.listResources() + server.listResourceTemplates() + server.listPrompts()
    expect(all).not.toContain('secret')
  })

  test('lists are split into pages that are linked by cursors', () => {
    const tools = ['a', 'b', 'c', 'd', 'e'].map(name => createTool({ name }))
    const server = prepare({ tools, pageSize: 2 })
    const names: string[] = []
    let cursor: string | undefined
    do {
      const page = members(server.listTools(cursor))
      names.push(...page.tools.map((tool: { name: string }) => tool.name))
      expect(page.tools.length).toBeLessThanOrEqual(2)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('lists reject cursors that no page returned', () => {
    const tools = ['a', 'b', 'c'].map(name => createTool({ name }))
    const server = prepare({
      tools,
      prompts: ['a', 'b', 'c'].map(name => createPrompt({ name })),
      pageSize: 2,
    })
    const ofPrompts = members(server.listPrompts()).nextCursor
    for (const cursor of ['', 'x', '2', ofPrompts, Buffer.from('tools:1').toString('base64url')])
      expect(() => server.listTools(cursor)).toThrow(/Invalid cursor/)
    expect(() => prepare({ tools }).listTools('x')).toThrow(RpcError)
  })
})

test('a declared server offers only the capabilities that its definitions use', () => {
  expect(prepare({}).capabilities).toEqual({})
  expect(prepare({ tools: [createTool({})] }).capabilities).toEqual({ tools: {} })
  const prompt = createPrompt({ completions: { who: ['me'] } })
  expect(prepare({ prompts: [prompt] }).capabilities).toEqual({ prompts: {}, completions: {} })
})

describe('declared resources', () => {
  const server = prepare({
    data: { low: 72 },
    resources: [
      createResource({ uri: 'note://one', text: 'low is {{ data.low }}' }),
      createResource({ uri: 'pic://one', blob: 'AAAA', mimeType: 'image/png' }),
      createResource({ uri: 'doc://{name}', text: '{{ name }}' }),
      createResource({ uri: 'file:///{+path}', text: '{{ path }}' }),
      createResource({ uri: 'search://all{?q,limit}', text: '{{ q }}/{{ limit | default: 10 }}' }),
      createResource({ uri: 'later://one', mimeType: 'application/json' }),
      createResource({ uri: 'json://{id}', handler: { type: 'template', json: { id: '{{ id }}' } } }),
      createResource({ uri: 'broken://one', text: '{{ "%" | url_decode }}' }),
    ],
  })
  const read = async (uri: string) => (await server.readResource(uri, createCall())).contents[0]

  test.each([
    ['note://one', { text: 'low is 72' }],
    ['pic://one', { blob: 'AAAA', mimeType: 'image/png' }],
    ['doc://a%20b', { text: 'a b' }],
    ['file:///a/b.txt', { text: 'a/b.txt' }],
    ['search://all?q=x%26y', { text: 'x&y/10' }],
    ['search://all?limit=2&q=z', { text: 'z/2' }],
    ['json://7', { text: '{"id":"7"}' }],
  ])('the resource %s can be read', async (uri, contents) => {
    expect(server.hasResource(uri)).toBe(true)
    expect(await read(uri)).toMatchObject({ uri, ...contents })
  })

  test('a resource without content returns a marked sample', async () => {
    expect(await read('later://one')).toMatchObject({
      text: '{"name":"r","description":"d"}',
      _meta: { 'mcp-hosting/sample': true },
    })
  })

  test('the error for an unknown resource names its URI', async () => {
    expect(server.hasResource('doc://a/b')).toBe(false)
    await expect(server.readResource('nope://x', createCall())).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('nope://x'),
      data: { uri: 'nope://x' },
    })
  })

  test('the error for a resource that cannot be rendered names its URI', async () => {
    await expect(server.readResource('broken://one', createCall())).rejects.toMatchObject({
      code: -32603,
      message: expect.stringMatching(/broken:\/\/one cannot be read/),
    })
  })
})

describe('declared prompts', () => {
  const server = prepare({
    prompts: [
      createPrompt({
        arguments: [{ name: 'who', required: true }],
        template: 'Greet {{ who }} {{ how | default: "well" }}',
      }),
      createPrompt({
        name: 'talk',
        messages: [
          { role: 'user', content: { type: 'text', text: 'I am {{ who }}' } },
          { role: 'assistant', content: { type: 'resource_link', uri: 'a://{{ who }}', name: 'n' } },
        ],
      }),
    ],
  })

  test('a prompt with a bare template becomes one user message', async () => {
    expect(await server.getPrompt('p', { who: 'Ada' }, createCall())).toEqual({
      description: 'd',
      messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ada well' } }],
    })
  })

  test('prompt messages keep their roles and content types', async () => {
    const { messages } = await server.getPrompt('talk', { who: 'Ada' }, createCall())
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'I am Ada' } },
      { role: 'assistant', content: { type: 'resource_link', uri: 'a://Ada', name: 'n' } },
    ])
  })

  test('a missing prompt argument is reported by name, and an unknown prompt is rejected', async () => {
    await expect(server.getPrompt('p', {}, createCall())).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('"who"'),
    })
    await expect(server.getPrompt('q', {}, createCall())).rejects.toMatchObject({ code: -32602 })
  })
})

describe('declared completions', () => {
  const many = Array.from({ length: 250 }, (_, index) => `v${index}`)
  const server = prepare({
    data: { cities: { no: ['Oslo', 'Bergen'], se: ['Lund'] } },
    prompts: [
      createPrompt({
        completions: {
          country: ['no', 'se'],
          city: '{% for city in data.cities[context.arguments.country] %}{{ city }}\n{% endfor %}',
          many,
        },
      }),
    ],
    resources: [createResource({ uri: 'x://{many}', completions: { many } })],
  })
  const complete = async (name: string, value: string, args: Record<string, string> = {}) => {
    const ref = { type: 'ref/prompt', name: 'p' } as const
    const result = await server.complete(
      { ref, argument: { name, value }, context: { arguments: args } },
      createCall(),
    )
    return result.completion
  }

  test('completions return the values that start with the typed text, ignoring case', async () => {
    expect(await complete('country', 'N')).toEqual({ values: ['no'], total: 1, hasMore: false })
    expect((await complete('country', '')).values).toEqual(['no', 'se'])
  })

  test('completions can use variables that the client has already filled in', async () => {
    expect((await complete('city', 'o', { country: 'no' })).values).toEqual(['Oslo'])
    expect((await complete('city', '', { country: 'se' })).values).toEqual(['Lund'])
    expect((await complete('city', '')).values).toEqual([])
  })

  test('completions return at most 100 values and their total number', async () => {
    const { values, total, hasMore } = await complete('many', 'v')
    expect([values.length, total, hasMore]).toEqual([100, 250, true])
  })

  test('completions support resource templates, return nothing for other variables and reject unknown references', async () => {
    const ref = { type: 'ref/resource', uri: 'x://{many}' } as const
    const argument = { name: 'many', value: 'v24' }
    expect((await server.complete({ ref, argument }, createCall())).completion.values).toHaveLength(11)
    for (const other of ['other', 'constructor', '__proto__'])
      expect((await complete(other, '')).values).toEqual([])
    const unknown = { ref: { type: 'ref/prompt', name: 'q' }, argument } as const
    await expect(server.complete(unknown, createCall())).rejects.toMatchObject({ code: -32602 })
  })
})

function createResource(parts: Partial<ResourceDefinition>): ResourceDefinition {
  return { uri: 'r://one', name: 'r', description: 'd', mimeType: 'text/plain', ...parts }
}

function createPrompt(
  parts: Partial<PromptDefinition>,
): PromptDefinition & { arguments: { name: string }[] } {
  return { name: 'p', description: 'd', arguments: [], ...parts } as never
}
