import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Uses sampling, which the client may not support',
  handler: async (_args, context) => {
    const { text } = await context.sample('Say hello')
    return text
  },
})
