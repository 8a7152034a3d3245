import { defineTool, user } from 'mcp-hosting/server'

export default defineTool({
  description: 'Sends only requests that the client supports',
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
