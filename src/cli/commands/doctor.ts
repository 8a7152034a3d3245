import { defineCommand } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import type { Finding } from '../doctor/check.ts'
import { CLIENT_CHECKS } from '../doctor/client-checks.ts'
import { DAEMON_CHECKS } from '../doctor/daemon-checks.ts'
import { FILE_CHECKS } from '../doctor/file-checks.ts'
import { HOME_CHECKS } from '../doctor/home-checks.ts'
import { ISOLATION_CHECKS } from '../doctor/isolation-checks.ts'
import { findRepairs } from '../doctor/repairs.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'

type NamedFinding = { name: string } & Finding

export default defineCommand({
  name: 'doctor',
  summary: 'check the installation',
  description:
    'Looks at Node, the platform, the home, its database and secrets, the daemon and its port, the API in use, what keeps custom servers apart, and the configurations of MCP clients. Changes nothing unless --fix is given, which repairs what can be repaired without a loss: rights of secret files, damaged configuration files (kept beside the new ones), unfinished files, a daemon that hangs and what one that died left. Ends with 1 when something is wrong.',
  options: { fix: { type: 'boolean', doc: 'repair what can be repaired, and say what was done' } },
  examples: [
    { command: 'mcp doctor --fix', does: 'the same after repairs' },
    { command: 'mcp doctor', does: 'with a fix for everything that is wrong' },
    { command: 'mcp doctor --json', does: '{ok, checks: [{name, status, message, fix}]}' },
  ],
  async run(context, { fix }): Promise<ExitCode> {
    const fixed = fix ? await repair(context) : []
    const checks = [
      ...DAEMON_CHECKS.slice(0, 2),
      ...HOME_CHECKS,
      ...FILE_CHECKS,
      ...DAEMON_CHECKS.slice(2),
      ...ISOLATION_CHECKS,
      ...CLIENT_CHECKS,
    ]
    const findings: NamedFinding[] = []
    for (const { name, run } of checks)
      findings.push(...(await run(context)).map(finding => ({ name, ...finding })))
    const ok = findings.every(({ status }) => status !== 'fail')
    context.output.result({ ok, checks: findings, ...(fix && { fixed }) }, () =>
      print(context, findings, fixed),
    )
    return ok ? EXIT.done : EXIT.failed
  },
})

/** One after the other, since one may make another unnecessary. */
async function repair(context: CommandContext): Promise<{ name: string; message: string }[]> {
  const fixed: { name: string; message: string }[] = []
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
    output.line(`${marks[status]}  ${name.padEnd(width)}  ${message}`)
    if (fix)
      output.line(
        `      ${' '.repeat(width)}  ${fix.description}${fix.command ? `: ${output.style.cyan(fix.command)}` : ''}`,
      )
  }
  const wrong = findings.filter(({ status }) => status === 'fail').length
  output.line()
  output.line(
    wrong === 0 ? 'Everything needed is in order.' : `${wrong} of ${findings.length} checks failed.`,
  )
}
