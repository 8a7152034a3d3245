import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Asks for a name',
  handler: async (_args, context) => {
    const { content } = await context.elicit({
      key: 'user_name',
      message: 'What is your name?',
      schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    })
    return `Hello, ${content?.name ?? 'stranger'}!`
  },
})
