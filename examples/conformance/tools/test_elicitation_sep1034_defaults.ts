import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Asks for values that have defaults',
  handler: async (_args, context) => {
    const { action, content } = await context.elicit({
      message: 'Please check these values',
      schema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'Name', default: 'John Doe' },
          age: { type: 'integer', description: 'Age', default: 30 },
          score: { type: 'number', description: 'Score', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', description: 'Verified', default: true },
        },
        required: [],
      },
    })
    return `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`
  },
})
