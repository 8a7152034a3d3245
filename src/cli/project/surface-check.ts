import type { SurfaceReport } from '../../shared/contract/builds/builds.ts'
import type { Environment } from '../../shared/contract/states.ts'
import { HostingError, type NextStep } from '../../shared/errors.ts'
import type { CommandContext } from '../command-line/command-context.ts'

interface Release {
  mcp_id: string
  name: string
  environment: Environment
  /** The command with --allow-breaking. Undefined if it contains values that may be secret. */
  anyway: string | undefined
}

/**
 * Reports changes for clients of the live deployment and returns the fields for the deploy request. Throws CONFLICT for
 * unapproved breaking changes in production. Does nothing if the API cannot compare builds.
 */
export async function checkSurface(
  context: CommandContext,
  release: Release,
  allowBreaking: boolean,
): Promise<{ allow_breaking?: boolean }> {
  const report = await readReport(context, release)
  if (!report) return {}
  for (const item of report.items) printChanges(context, release, item)
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
      context.output.warn(
        `Could not compare with the live deployment in ${environment}, because the API key lacks the READ scope.`,
      )
    // The deployment reports these errors. An API that cannot compare builds answers with the same codes.
    else if (!['NOT_FOUND', 'METHOD_NOT_ALLOWED', 'CONFLICT'].includes(code)) throw error
    return undefined
  }
}

const MAX_SHOWN = 20

function printChanges(
  { output }: CommandContext,
  { name, environment }: Release,
  { changes, deployment_id }: SurfaceReport['items'][number],
): void {
  if (output.json || changes.length === 0) return
  output.line(`Changes in ${name} for clients of ${deployment_id} in ${environment}:`)
  for (const { kind, path, message } of changes.slice(0, MAX_SHOWN)) {
    const mark = kind === 'breaking' ? output.style.red('breaking  ') : output.style.dim('compatible')
    output.line(`  ${mark}  ${path} ${message}`)
  }
  if (changes.length > MAX_SHOWN) output.line(`  and ${changes.length - MAX_SHOWN} more`)
  output.line()
}

function refusal({ output }: CommandContext, { name, anyway }: Release, report: SurfaceReport): HostingError {
  const breaking = report.items.flatMap(({ changes }) => changes.filter(({ kind }) => kind === 'breaking'))
  const count = breaking.length === 1 ? 'a breaking change' : `${breaking.length} breaking changes`
  return new HostingError('CONFLICT', `${name} was not released to production because of ${count}.`, {
    // Without --json, the changes have already been printed.
    ...(output.json ? { details: breaking.map(({ path, message }) => `${path} ${message}`).join('\n') } : {}),
    next: [releaseAnywayStep(anyway)],
  })
}

/** Repeats all flags, because the release would be a different one without `--require-test` or `--max`. */
function releaseAnywayStep(command: string | undefined): NextStep {
  const description = 'Release it anyway'
  return command === undefined
    ? { description: `${description}: repeat the command with --allow-breaking` }
    : { description, command }
}
