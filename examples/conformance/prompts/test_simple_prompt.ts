import { definePrompt } from 'mcp-hosting/server'

export default definePrompt({
  description: 'A prompt without arguments',
  handler: () => 'This is a simple prompt for testing.',
})
