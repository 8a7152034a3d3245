import type { BuildRecord } from '../../shared/contract/builds/builds.ts'
import { formatAge } from '../../shared/format/relative-time.ts'
import type { DeployResult } from '../project/deploy-server.ts'

/** Version and age of a deployment, what it offers, who may use it, and the names of its variables. */
export function summaryFields(
  status: DeployResult,
  build: BuildRecord | undefined,
): Record<string, string | undefined> {
  return {
    version: versionText(status),
    'sign-in': signInText(status),
    tools: listText(build?.tools),
    resources: listText(build?.resources),
    prompts: listText(build?.prompts),
    variables: listText(Object.keys(status.config?.env_vars ?? {})),
  }
}

/** `3, 2 h ago, commit 4f2a9c1: Greet in French` */
function versionText({ version, release, deployed_at, created_at }: DeployResult): string | undefined {
  const since = deployed_at ?? created_at
  const facts = [
    version !== undefined && String(version),
    since && formatAge(since),
    release?.git && `commit ${release.git.commit.slice(0, 7)}`,
  ]
  return [facts.filter(Boolean).join(', '), release?.message].filter(Boolean).join(': ') || undefined
}

function signInText({ config, sign_in }: DeployResult): string | undefined {
  if (!config) return undefined
  const { auth } = config
  if (!auth) return 'none'
  return `required, ${auth.provider === 'local' ? 'with an API key for the daemon' : (sign_in?.issuer ?? auth.provider)}`
}

function listText(names: readonly string[] = []): string | undefined {
  return names.length === 0 ? undefined : names.join(', ')
}
