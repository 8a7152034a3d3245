import { defineDeploymentAction } from '../deployment-action.ts'

export default defineDeploymentAction({
  name: 'stop',
  summary: 'stop a deployment, keeping its address',
  description:
    'Stops a deployment: connections are refused at once, running requests end. `mcp start` brings it back at the same address.',
  examples: [
    { command: 'mcp stop weather', does: "the server's live deployment" },
    { command: 'mcp stop weather --env staging', does: 'when it is live in several environments' },
    { command: 'mcp stop dep_4h7k', does: 'by a prefix of its id' },
  ],
  prefer: ['deployed', 'deploying'],
  doing: 'Stopping',
  done: 'Stopped',
})
