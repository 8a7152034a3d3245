import { defineTool, user } from 'mcp-hosting/server'

export default defineTool({
  description: 'Asks three things at once',
  handler: async (_args, context) => {
    const [name, greeting, roots] = await Promise.all([
      context.elicit({
        key: 'user_name',
        message: 'What is your name?',
        schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      }),
      context.sample({ key: 'greeting', messages: [user('Generate a greeting')], maxTokens: 50 }),
      context.listRoots({ key: 'client_roots' }),
    ])
    return `${greeting.text} ${name.content?.name ?? ''} (${roots.length} roots)`
  },
})
