const tool = (body: string, imports = '') =>
  `import { defineTool, ${imports} } from 'mcp-hosting/server'
   import * as z from 'zod'
   const schema = { type: 'object', properties: { name: { type: 'string' } } } as const
   export default defineTool({ description: 'A tool', ${body} })`

/** Project whose handlers ask their client. */
export const FILES = {
  'tools/name.ts': tool(`handler: async (_args, context) => {
    const answer = await context.elicit({ message: 'Name?', schema })
    return answer.action === 'accept' ? 'Hello ' + answer.content.name : answer.action }`),
  'tools/both.ts': tool(`handler: async (_args, context) => {
    const [a, b] = await Promise.all([context.sample('A?'), context.listRoots()])
    const c = await context.elicit({ message: 'C?', schema: z.object({ n: z.number() }) })
    return a.text + b.length + (c.content?.n ?? '') }`),
  'tools/page.ts': tool(
    `handler: async (_args, context) => (await context.elicitUrl({ message: 'Sign in', url: 'https://example.com/', elicitationId: 'e1' })).action`,
  ),
  'tools/tidy.ts': tool(`handler: async (_args, context) => {
    try { return (await context.sample('A?')).text } finally { globalThis.tidied = (globalThis.tidied ?? 0) + 1 } }`),
  'tools/careless.ts': tool(`handler: async (_args, context) => {
    const forgotten = context.sample('A?')
    await context.listRoots()
    return (await forgotten).text }`),
  'tools/tidied.ts': tool(`handler: () => String(globalThis.tidied ?? 0)`),
  'tools/by_hand.ts': tool(
    `handler: (_args, { inputResponses, requestState }) => inputResponses
      ? JSON.stringify([inputResponses, requestState])
      : inputRequired({ requests: { q: { method: 'roots/list' } }, state: { kept: 1 } })`,
    'inputRequired',
  ),
  'tools/announce.ts': tool(
    `handler: (_args, context) => { context.announce('tools'); context.resourceUpdated('test://a'); return 'told' }`,
  ),
  'resources/a.ts': `
    import { defineResource } from 'mcp-hosting/server'
    export default defineResource({ uri: 'test://a', description: 'A', handler: async (_v, context) => (await context.sample('A?')).text })`,
}
