import { defineTool, user } from 'mcp-hosting/server'

export default defineTool({
  description: 'Asks only what the client can answer',
  handler: async (_args, context) => {
    const { sampling, elicitation } = context.client.capabilities
    const [greeting, name] = await Promise.all([
      sampling ? context.sample({ messages: [user('Generate a greeting')], maxTokens: 50 }) : undefined,
      elicitation
        ? context.elicit({
            message: 'What is your name?',
            schema: { type: 'object', properties: { name: { type: 'string' } } },
          })
        : undefined,
    ])
    return `${greeting?.text ?? 'Hello'} ${name?.content?.name ?? ''}`
  },
})
