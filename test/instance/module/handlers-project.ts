const tool = (body: string, imports = '') =>
  `import { defineTool${imports && `, ${imports}`} } from 'mcp-hosting/server'\nexport default defineTool({ description: 'A tool', ${body} })`

/** Project with a handler for each kind of answer and each part of the context. */
export const FILES = {
  'tools/text.ts': tool(`handler: () => 'plain'`),
  'tools/nothing.ts': tool(`handler: () => {}`),
  'tools/object.ts': tool(`handler: async () => ({ a: 1, b: [2] })`),
  'tools/list.ts': tool(`handler: () => [1, 2, 3]`),
  'tools/blocks.ts': tool(`handler: () => [text('one'), link('a://b', 'B')]`, 'link, text'),
  'tools/bytes.ts': tool(`handler: () => image(new Uint8Array([1, 2, 3]))`, 'image'),
  'tools/failure.ts': tool(`handler: () => error('not today', { _meta: { why: 'rain' } })`, 'error'),
  'tools/throws.ts': tool(`handler: () => { throw new Error('it broke on ' + process.env.REGION) }`),
  'tools/protocol_error.ts': tool(
    `handler: () => { throw new McpError(-32099, 'mine', { a: 1 }) }`,
    'McpError',
  ),
  'tools/typed.ts': tool(
    `output: { type: 'object', properties: { t: { type: 'number' } }, required: ['t'] },
     input: { type: 'object', properties: { t: {} } },
     handler: ({ t }) => ({ t: t as number })`,
  ),
  'tools/zod.ts': `
    import { defineTool } from 'mcp-hosting/server'
    import * as z from 'zod'
    export default defineTool({
      title: 'With zod',
      description: 'A tool of zod',
      input: z.object({
        when: z.string().transform(text => text.length),
        unit: z.enum(['c', 'f']).default('c').describe('The unit'),
        even: z.number().refine(value => value % 2 === 0, 'must be even').optional(),
      }),
      output: z.object({ length: z.number(), unit: z.string() }),
      handler: ({ when, unit }) => ({ length: when, unit }),
    })`,
  'tools/protocol_names.ts': tool(
    `inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
     outputSchema: { type: 'object', required: ['said'] },
     handler: ({ text }) => ({ said: text })`,
  ),
  'tools/facts.ts': tool(
    `handler: (_args, { env, token, client, sessionId, meta }) =>
      ({ env, token: token ?? null, client, hasSession: sessionId !== undefined, meta })`,
  ),
  'tools/said.ts': tool(
    `handler: (_args, context) => { context.progress(1, 2, 'half'); context.warning({ a: 1 }, 'mine'); return 'said' }`,
  ),
  'tools/destructured.ts': tool(
    `handler: async (_args, context) => {
      const { log, debug, info, notice, warning, error, progress, announce, resourceUpdated } = context
      const { sample, elicit, elicitUrl, listRoots, store: { get, set, delete: remove, list, increment, transaction } } = context
      log('info', 'log'); debug('debug'); info('info'); notice('notice'); warning('warning'); error('error')
      progress(1, 2, 'half'); announce('tools'); resourceUpdated('test://motd')
      const failures = await Promise.allSettled([
        sample('Hi'), elicit({ message: 'm', schema: { type: 'object', properties: {} } }),
        elicitUrl({ message: 'm', url: 'https://example.com' }), listRoots(),
        get('k'), set('k', 1), remove('k'), list(), increment('k'), transaction(({ get }) => get('k')),
      ])
      return failures.map(({ reason }) => String(reason?.message))
    }`,
  ),
  'tools/floods.ts': tool(
    `handler: (_args, context) => { for (let i = 0; i < 20_000; i++) context.info('x'.repeat(1000)) }`,
  ),
  'tools/waits.ts': tool(
    `handler: (_args, { signal }) => new Promise(resolve => signal.addEventListener('abort', () => { console.log('waits was cancelled'); resolve('stopped') }))`,
  ),
  'tools/sum.ts': tool(
    `name: 'math/sum', input: { type: 'object', properties: { a: { type: 'number', default: 2 } } }, handler: ({ a }) => String(a)`,
  ),
  'resources/motd.ts': `
    import { defineResource } from 'mcp-hosting/server'
    export default defineResource({ uri: 'test://motd', description: 'Of the day', mimeType: 'text/plain', handler: () => 'Hello' })`,
  'resources/raw.ts': `
    import { defineResource } from 'mcp-hosting/server'
    export default defineResource({ uri: 'test://raw', description: 'Bytes', mimeType: 'application/octet-stream', handler: () => new Uint8Array([104, 105]) })`,
  'resources/item.ts': `
    import { defineResource, McpError } from 'mcp-hosting/server'
    export default defineResource({
      uri: 'test://items/{id}{?q}', description: 'An item',
      complete: { id: typed => ['1', '12', '2'].filter(one => one.startsWith(typed)), q: ['red', 'rose'] },
      handler: ({ id, q }, { uri }) => {
        if (id === '0') throw new McpError(-32602, 'No item 0', { uri })
        return { id, q: q ?? null, uri }
      },
    })`,
  'prompts/greet.ts': `
    import { assistant, definePrompt, user } from 'mcp-hosting/server'
    export default definePrompt({
      description: 'Greets',
      arguments: { name: { description: 'Who', complete: ['ann', 'bob'] }, mood: { required: false } },
      handler: ({ name, mood }) => [user('Hello ' + name), assistant('I am ' + (mood ?? 'fine'))],
    })`,
}
