import { defineDeploymentAction } from '../deployment-action.ts'

export default defineDeploymentAction({
  name: 'restart',
  summary: 'replace the instances of a deployment by fresh ones',
  description:
    'Starts fresh instances, switches to them when they are healthy and lets the old ones end their work.',
  examples: [{ command: 'mcp restart weather --env production', does: 'without a failed request' }],
  prefer: ['deployed', 'deploying'],
  doing: 'Restarting',
  done: 'Restarted',
})
