import { defineTool, inputRequired } from 'mcp-hosting/server'

export default defineTool({
  description: 'Rejects a request state that the client changed',
  handler: (_args, { inputResponses, requestState }) =>
    inputResponses?.confirm && requestState === 'asked'
      ? 'state-ok'
      : inputRequired({
          requests: {
            confirm: {
              method: 'elicitation/create',
              params: {
                message: 'Please confirm',
                requestedSchema: {
                  type: 'object',
                  properties: { ok: { type: 'boolean' } },
                  required: ['ok'],
                },
              },
            },
          },
          state: 'asked',
        }),
})
