import { defineTool, inputRequired } from 'mcp-hosting/server'

export default defineTool({
  description: 'Returns its own input request and keeps state between two calls',
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
