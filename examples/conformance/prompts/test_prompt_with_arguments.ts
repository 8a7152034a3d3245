import { definePrompt } from 'mcp-hosting/server'

export default definePrompt({
  description: 'A prompt with two arguments',
  arguments: {
    arg1: { description: 'First test argument', complete: ['paris', 'park', 'party'] },
    arg2: { description: 'Second test argument', complete: typed => [`${typed}1`, `${typed}2`] },
  },
  handler: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
})
