import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Reports progress, then asks for a name',
  handler: async (_args, context) => {
    context.progress(0, 1)
    const { action } = await context.elicit({
      message: 'What is your name?',
      schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    })
    return `The answer was: ${action}`
  },
})
