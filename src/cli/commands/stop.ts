import type { ContainerBuildRecord } from '../../shared/container-builds.ts'
import { defineCommand } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { defineDeploymentAction, ONE_DEPLOYMENT } from '../deployment-action.ts'
import { resolveContainerBuild } from '../resolve-id.ts'

const stopDeployment = defineDeploymentAction({
  name: 'stop',
  summary: 'stop a deployment, keeping its address',
  description:
    'Stops a deployment: connections are refused at once, running requests end. `mcp start` brings it back at the same address. A container build that waits or runs is ended with every process it started.',
  examples: [
    { command: 'mcp stop weather', does: "the server's live deployment" },
    { command: 'mcp stop weather --env staging', does: 'when it is live in several environments' },
    { command: 'mcp stop dep_4h7k', does: 'by a prefix of its id' },
    { command: 'mcp stop bld_9c2e', does: 'a container build' },
  ],
  prefer: ['deployed', 'deploying'],
  doing: 'Stopping',
  done: 'Stopped',
})

export default defineCommand({
  ...stopDeployment,
  ...ONE_DEPLOYMENT,
  arguments: {
    id: { required: true, doc: `${ONE_DEPLOYMENT.arguments.id.doc}; or a container build's id` },
  },
  async run(context, input) {
    return input.id.startsWith('bld_')
      ? stopContainerBuild(context, input.id)
      : stopDeployment.run(context, input)
  },
})

async function stopContainerBuild({ api, output }: CommandContext, reference: string): Promise<undefined> {
  const client = await api()
  const id = await resolveContainerBuild(client, reference)
  const build = await client.post<ContainerBuildRecord>(`/api/lambda-builds/${encodeURIComponent(id)}/stop`)
  output.result(build, () => {
    output.line(`Stopped the container build ${id}`)
    output.next({ description: 'See its log', command: `mcp logs ${id}` })
  })
}
