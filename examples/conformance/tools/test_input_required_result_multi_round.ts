import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Asks twice, one question after the other',
  handler: async (_args, context) => {
    const step1 = await context.elicit({
      key: 'step1',
      message: 'Step 1: What is your name?',
      schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    })
    const step2 = await context.elicit({
      key: 'step2',
      message: 'Step 2: What is your favorite color?',
      schema: { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] },
    })
    return `${step1.content?.name ?? 'Nobody'} likes ${step2.content?.color ?? 'nothing'}`
  },
})
