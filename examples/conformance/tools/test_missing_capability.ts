import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Asks a model that the client need not have',
  handler: async (_args, context) => {
    const { text } = await context.sample('Say hello')
    return text
  },
})
