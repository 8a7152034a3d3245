import { defineTool, user } from 'mcp-hosting/server'

export default defineTool({
  description: "Asks the client's model",
  input: {
    type: 'object',
    properties: { prompt: { type: 'string', description: 'Prompt for the model' } },
    required: ['prompt'],
  },
  handler: async ({ prompt }, context) => {
    const { text } = await context.sample({ messages: [user(prompt)], maxTokens: 100 })
    return `LLM response: ${text}`
  },
})
