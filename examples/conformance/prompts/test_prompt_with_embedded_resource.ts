import { definePrompt, resource } from 'mcp-hosting/server'

export default definePrompt({
  description: 'A prompt with a resource in it',
  arguments: { resourceUri: { description: 'URI of the resource to embed' } },
  handler: ({ resourceUri }) => [
    resource(resourceUri, 'Embedded resource content for testing.'),
    'Please process the embedded resource above.',
  ],
})
