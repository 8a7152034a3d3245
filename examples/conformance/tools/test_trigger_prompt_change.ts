import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Tells everybody who listens that the list of prompts changed',
  handler: (_args, context) => {
    context.announce('prompts')
    return 'announced'
  },
})
