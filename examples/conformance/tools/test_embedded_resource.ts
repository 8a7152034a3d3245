import { defineTool, resource } from 'mcp-hosting/server'

export default defineTool({
  description: 'Answers with a resource and its content',
  handler: () => resource('test://embedded-resource', 'This is an embedded resource content.'),
})
