import { defineTool, user } from 'mcp-hosting/server'

export default defineTool({
  description: 'Asks the model of the client',
  handler: async (_args, context) => {
    const { text } = await context.sample({
      key: 'capital_question',
      messages: [user('What is the capital of France?')],
      maxTokens: 100,
    })
    return text
  },
})
