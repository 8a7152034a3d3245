import { setTimeout as wait } from 'node:timers/promises'
import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Reports its progress on the way to its answer',
  handler: async (_args, context) => {
    context.progress(0, 100)
    await wait(50)
    context.progress(50, 100)
    await wait(50)
    context.progress(100, 100)
    return 'Tool with progress executed successfully'
  },
})
