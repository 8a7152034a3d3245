import { definePrompt } from 'mcp-hosting/server'

export default definePrompt({
  description: 'A prompt that asks first',
  handler: async (_args, context) => {
    const { content } = await context.elicit({
      key: 'user_context',
      message: 'What context should the prompt use?',
      schema: { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] },
    })
    return `Use this context: ${content?.context ?? 'none'}`
  },
})
