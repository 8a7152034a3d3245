import { defineTool, error } from 'mcp-hosting/server'

export default defineTool({
  description: 'Fails',
  handler: () => error('This tool intentionally returns an error for testing'),
})
