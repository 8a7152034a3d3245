import type { SurfaceReport } from '../shared/builds.ts'
import { HostingError, type NextStep } from '../shared/errors.ts'
import type { Environment } from '../shared/states.ts'
import type { CommandContext } from './command-context.ts'
import { shellWord } from './shell-word.ts'

interface Release {
  mcp_id: string
  name: string
  environment: Environment
  /** What the command was run on, where that and the environment were all that it was given. */
  target: string | undefined
}

/**
 * Tells what a release changes for the clients of what is live, and gives what the deploy request says of it. Throws CONFLICT
 * for a breaking one to production unless it is allowed. An API that compares nothing is asked for nothing.
 */
export async function checkSurface(
  context: CommandContext,
  release: Release,
  allowBreaking: boolean,
): Promise<{ allow_breaking?: boolean }> {
  const report = await readReport(context, release)
  if (!report) return {}
  for (const item of report.items) tellChanges(context, release, item)
  if (release.environment !== 'production') return {}
  if (!allowBreaking && report.items.some(item => item.breaking)) throw refusal(context, release, report)
  return { allow_breaking: allowBreaking }
}

async function readReport(
  context: CommandContext,
  { mcp_id, environment }: Release,
): Promise<SurfaceReport | undefined> {
  const api = await context.api()
  try {
    const path = `/v1/build/${encodeURIComponent(mcp_id)}/surface`
    const report = await api.get<Partial<SurfaceReport> | undefined>(path, { environment })
    return Array.isArray(report?.items) ? (report as SurfaceReport) : undefined
  } catch (error) {
    const { code } = error as HostingError
    if (code === 'INSUFFICIENT_SCOPE')
      context.output.warn(`Not compared with what is live in ${environment}: the key may not read.`)
    // Otherwise it is the deployment that tells why a build cannot be deployed.
    else if (!['NOT_FOUND', 'METHOD_NOT_ALLOWED', 'CONFLICT'].includes(code)) throw error
    return undefined
  }
}

const MAX_SHOWN = 20

function tellChanges(
  { output }: CommandContext,
  { name, environment }: Release,
  { changes, deployment_id }: SurfaceReport['items'][number],
): void {
  if (output.json || changes.length === 0) return
  output.line(`Changes of ${name} for the clients of ${deployment_id} in ${environment}:`)
  for (const { kind, path, message } of changes.slice(0, MAX_SHOWN)) {
    const mark = kind === 'breaking' ? output.style.red('breaking  ') : output.style.dim('compatible')
    output.line(`  ${mark}  ${path} ${message}`)
  }
  if (changes.length > MAX_SHOWN) output.line(`  and ${changes.length - MAX_SHOWN} more`)
  output.line()
}

function refusal({ output }: CommandContext, { name, target }: Release, report: SurfaceReport): HostingError {
  const breaking = report.items.flatMap(({ changes }) => changes.filter(({ kind }) => kind === 'breaking'))
  const count = breaking.length === 1 ? 'a breaking change' : `${breaking.length} breaking changes`
  return new HostingError('CONFLICT', `${name} was not released to production: it has ${count}.`, {
    // A person has just read them.
    ...(output.json ? { details: breaking.map(({ path, message }) => `${path} ${message}`).join('\n') } : {}),
    next: [releaseAnyway(target)],
  })
}

/** Not the build alone: the project's own settings of its deployments count again. Values of flags may be secret. */
function releaseAnyway(target: string | undefined): NextStep {
  const description = 'Release it all the same'
  if (target === undefined) return { description: `${description}: the same command with --allow-breaking` }
  const word = target === '.' ? '' : ` ${shellWord(target)}`
  return { description, command: `mcp deploy${word} --env production --allow-breaking` }
}
