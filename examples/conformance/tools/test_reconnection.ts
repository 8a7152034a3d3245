import { setTimeout as wait } from 'node:timers/promises'
import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Ends its own stream; the client comes back for the answer',
  handler: async (_args, context) => {
    context.closeStream(500)
    await wait(100)
    return 'Reconnection test completed successfully'
  },
})
