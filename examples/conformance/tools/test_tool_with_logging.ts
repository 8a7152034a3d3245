import { setTimeout as wait } from 'node:timers/promises'
import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Logs three lines on the way to its answer',
  handler: async (_args, context) => {
    context.info('Tool execution started')
    await wait(50)
    context.info('Tool processing data')
    await wait(50)
    context.info('Tool execution completed')
    return 'Tool with logging executed successfully'
  },
})
