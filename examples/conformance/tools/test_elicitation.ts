import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Asks the person for a name and an address',
  input: {
    type: 'object',
    properties: { message: { type: 'string', description: 'Question for the person' } },
    required: ['message'],
  },
  handler: async ({ message }, context) => {
    const { action, content } = await context.elicit({
      message,
      schema: {
        type: 'object',
        properties: {
          username: { type: 'string', description: "User's response" },
          email: { type: 'string', description: "User's email address" },
        },
        required: ['username', 'email'],
      },
    })
    return `User response: action: ${action}, content: ${JSON.stringify(content ?? {})}`
  },
})
