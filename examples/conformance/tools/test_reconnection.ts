import { setTimeout as wait } from 'node:timers/promises'
import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Closes its stream, so that the client reconnects for the result',
  handler: async (_args, context) => {
    context.closeStream(500)
    await wait(100)
    return 'Reconnection test completed successfully'
  },
})
