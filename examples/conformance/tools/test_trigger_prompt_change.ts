import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Notifies all listening clients that the list of prompts changed',
  handler: (_args, context) => {
    context.announce('prompts')
    return 'announced'
  },
})
