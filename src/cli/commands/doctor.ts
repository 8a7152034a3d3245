import { fail, type NamedFinding, runChecks } from '../../shared/check.ts'
import { HostingError } from '../../shared/errors.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import { CLIENT_CHECKS } from '../doctor/client-checks.ts'
import { CREDENTIAL_CHECK } from '../doctor/credential-check.ts'
import { DAEMON_CHECKS, NODE_CHECK } from '../doctor/daemon-checks.ts'
import { findRepairs } from '../doctor/repairs.ts'
import { findDaemon } from '../local-daemon/find-daemon.ts'
import { checkMachine, repairHome } from '../local-daemon/run-database-tool.ts'

export default defineCommand({
  name: 'doctor',
  description:
    'Check Node, the platform, the home, its database and secrets, the daemon and its port, the API in use, the isolation of custom servers and the configurations of MCP clients. --fix repairs what can be repaired without loss: permissions of secret files, damaged configuration files (kept as copies), unfinished files, a hung daemon and files left by a dead daemon. Exits with 1 if a check fails.',
  options: { fix: { type: 'boolean', doc: 'repair what can be repaired without loss' } },
  examples: {
    'mcp doctor --fix': 'repair, then check',
    'mcp doctor': 'suggests a fix for each problem',
    'mcp doctor --json': '{ok, checks: [{name, status, message, fix}]}',
  },
  async run(context, { fix }): Promise<ExitCode> {
    const fixed = fix ? await repair(context) : []
    const findings = [
      ...(await runChecks([NODE_CHECK], context)),
      ...(await examineMachine(context)),
      ...(await runChecks([CREDENTIAL_CHECK, ...DAEMON_CHECKS, ...CLIENT_CHECKS], context)),
    ]
    const ok = findings.every(({ status }) => status !== 'fail')
    context.output.result({ ok, checks: findings, ...(fix && { fixed }) }, () =>
      print(context, findings, fixed),
    )
    return ok ? EXIT.done : EXIT.failed
  },
})

async function examineMachine({ env, paths }: CommandContext): Promise<NamedFinding[]> {
  const daemon = await findDaemon(paths).catch(() => undefined) // reported by DAEMON_CHECKS
  try {
    return await checkMachine(env, daemon?.pid)
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    return [{ name: 'home', ...fail(error.message, 'Install mcp-hosting again') }]
  }
}

/** Repairs the home first, then the problems that remain, one at a time. */
async function repair(context: CommandContext): Promise<{ name: string; message: string }[]> {
  const fixed: { name: string; message: string }[] = await repairHome(context.env)
  for (const { name, done, apply } of await findRepairs(context)) {
    await apply()
    fixed.push({ name, message: done })
  }
  return fixed
}

function print(
  { output }: CommandContext,
  findings: readonly NamedFinding[],
  fixed: readonly { message: string }[],
): void {
  for (const { message } of fixed) output.line(message)
  if (fixed.length > 0) output.line()
  const { green, yellow, red } = output.style
  const marks = { pass: green('ok  '), warn: yellow('warn'), fail: red('FAIL') }
  const width = Math.max(...findings.map(({ name }) => name.length))
  for (const { name, status, message, fix } of findings) {
    output.line(`${marks[status]}  ${name.padEnd(width)}  ${message}`, width + 8)
    if (fix)
      output.line(
        `      ${' '.repeat(width)}  ${fix.description}${fix.command ? `: ${output.style.cyan(fix.command)}` : ''}`,
      )
  }
  const wrong = findings.filter(({ status }) => status === 'fail').length
  output.line()
  output.line(wrong === 0 ? 'All checks passed.' : `${wrong} of ${findings.length} checks failed.`)
}
