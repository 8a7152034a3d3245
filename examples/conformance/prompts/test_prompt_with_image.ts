import { definePrompt, image } from 'mcp-hosting/server'
import { PNG } from '../media/samples.ts'

export default definePrompt({
  description: 'A prompt with a picture in it',
  handler: () => [image(PNG), 'Please analyze the image above.'],
})
