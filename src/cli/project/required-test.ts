import { dirname, relative } from 'node:path'
import type { ReleaseTest } from '../../shared/contract/deployments/releases.ts'
import { HostingError } from '../../shared/errors.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import { reportFailure } from '../command-line/failure.ts'
import type { TestTarget } from '../targets/test-target.ts'
import { findProjectFile, loadProject, type Project } from './project.ts'

/** Value of `--require-test` or of the project file. Throws INVALID_REQUEST for anything but a share. */
export function requiredRate(flag: string | undefined, project: Project | undefined): number | undefined {
  if (flag === undefined) return project?.deploy.requireTest
  const rate = Number(flag)
  if (flag.trim() !== '' && rate >= 0 && rate <= 1) return rate
  throw new HostingError(
    'INVALID_REQUEST',
    `--require-test is "${flag}", expected a share from 0 to 1, such as 0.9.`,
  )
}

/**
 * Runs the project's suite against the build. Returns the result when the build may be released. Otherwise reports that too few
 * cases passed or could be judged, and returns the exit code.
 */
export async function requireTest(
  context: CommandContext,
  target: TestTarget,
  { rate, project }: { rate: number; project: Project | undefined },
): Promise<{ exitCode: ExitCode } | { test: ReleaseTest }> {
  const suite = await projectSuite(project ?? (findProjectFile('.') ? await loadProject('.') : undefined))
  const { exitCodeOf } = await import('../suite/exit-code.ts')
  const { runSuite } = await import('../suite/test-suite.ts')
  const { summaryText } = await import('../suite/report.ts')
  const { output } = context
  const outcome = await runSuite(context, { ...suite, pass: rate }, target, { concurrency: 1 })
  if (!output.json) output.line(`${summaryText(outcome)}\n`)
  const exitCode = exitCodeOf(outcome)
  const total = outcome.cases.length
  if (exitCode === EXIT.done) return { test: { passed: outcome.passed, total, required: rate } }
  const failures = outcome.cases.filter(({ status }) => status !== 'passed')
  await reportFailure(
    output,
    `${target.name} was not released`,
    {
      code: exitCode === EXIT.failed ? 'CONFLICT' : 'UNAVAILABLE',
      message: `${outcome.passed} of ${total} cases in its suite passed (${formatShare(outcome.passed / total)}, required: ${rate}).`,
      // Without --json, the failed cases have already been printed.
      ...(output.json && { details: failures.map(caseText).join('\n') }),
    },
    [{ description: 'Run the suite', command: testCommand(project) }],
  )
  return { exitCode }
}

/** Rounded down, so that a share below the required one never looks sufficient. */
function formatShare(share: number): number {
  return Math.floor(share * 1000) / 1000
}

function testCommand(project: Project | undefined): string {
  const path = project && relative('.', project.directory || dirname(project.file ?? '.'))
  return path ? `mcp test --project ${quoteShellWord(path)}` : 'mcp test'
}

async function projectSuite(project: Project | undefined) {
  const { loadProjectSuite } = await import('../suite/load-suite.ts')
  const suite = await loadProjectSuite(project)
  if (suite) return suite
  const where = project ? `${project.file ?? project.directory} has none` : 'this folder has no project'
  throw new HostingError('INVALID_REQUEST', `--require-test requires a test suite, but ${where}.`, {
    details: 'Set "test" in the project file to a suite or its path (docs/testing.md)',
  })
}

function caseText({
  name,
  runs,
}: {
  name: string
  runs: { failures: string[]; error: { message: string } | null }[]
}): string {
  const notes = runs.flatMap(({ failures, error }) => [...failures, ...(error ? [error.message] : [])])
  return `${name}: ${[...new Set(notes)].join('; ')}`
}
