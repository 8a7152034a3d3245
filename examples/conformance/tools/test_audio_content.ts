import { audio, defineTool } from 'mcp-hosting/server'
import { WAV } from '../media/samples.ts'

export default defineTool({
  description: 'Answers with a sound',
  handler: () => audio(WAV),
})
