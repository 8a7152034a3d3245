import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Logs a line',
  handler: (_args, context) => {
    context.info('a log line')
    return 'logged'
  },
})
