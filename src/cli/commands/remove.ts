import type { ApiClient } from '../api-client.ts'
import { defineCommand } from '../command.ts'
import { ONE_DEPLOYMENT } from '../deployment-action.ts'
import { confirm } from '../prompt.ts'
import { findDeployment, resolveBuild, resolveDeployment } from '../resolve-id.ts'

export default defineCommand({
  name: 'remove',
  summary: 'remove a deployment or a build for good',
  description:
    'Ends a deployment at once and forgets it with its logs. An mcp_id names a build, which goes only when no deployment uses it.',
  arguments: {
    id: {
      required: true,
      doc: "a deployment's id or a unique prefix, a server's name, or the mcp_id of a build",
    },
  },
  options: ONE_DEPLOYMENT.options,
  examples: [
    { command: 'mcp remove weather --env staging', does: 'asks first' },
    { command: 'mcp remove dep_4h7k --yes', does: 'without asking' },
    { command: 'mcp remove mcp_9x2m --yes', does: 'a build' },
  ],
  async run(context, { id: reference, env }) {
    const { output } = context
    const api = await context.api()
    const isBuild = reference.startsWith('mcp_')
    const { id, label } = isBuild
      ? { id: await resolveBuild(api, reference), label: 'build' }
      : await nameDeployment(api, reference, env)
    await confirm(context, `Remove the ${label} ${id} for good?`)
    await api.delete(`/v1/${isBuild ? 'build' : 'deploy'}/${encodeURIComponent(id)}`)
    output.result({ removed: id }, () => {
      output.line(`Removed the ${label} ${id}`)
      output.next({ description: 'See what is left', command: 'mcp list' })
    })
  },
})

async function nameDeployment(
  api: ApiClient,
  reference: string,
  environment: (typeof ONE_DEPLOYMENT.options.env.choices)[number] | undefined,
): Promise<{ id: string; label: string }> {
  if (reference.startsWith('dep_'))
    return { id: await resolveDeployment(api, reference), label: 'deployment' }
  const found = await findDeployment(api, reference, { environment })
  if (!found) return { id: reference, label: 'deployment' }
  const where = found.environment ? ` in ${found.environment}` : ''
  return { id: found.deployment_id, label: `deployment of ${found.name}${where}` }
}
