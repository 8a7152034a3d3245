import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Answers with a text',
  handler: () => 'This is a simple text response for testing.',
})
