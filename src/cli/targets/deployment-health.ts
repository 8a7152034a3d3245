import type { HealthReport } from '../../shared/contract/monitoring/health-reports.ts'
import { formatMs, formatPercent } from '../../shared/format/metric-format.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import type { Output } from '../output/output.ts'

/** The contract does not define the report, so every field may be missing. */
type AnyHealthReport = Partial<HealthReport> & Record<string, unknown>

/** `mcp status --health`. Returns 1 if a deployment is unhealthy. */
export async function showHealth({ api, output }: CommandContext, ids: readonly string[]): Promise<ExitCode> {
  const client = await api()
  const reports = await Promise.all(
    ids.map(id => client.get<AnyHealthReport>(`/api/lambda-deploy/${encodeURIComponent(id)}/health`)),
  )
  output.result(reports.length === 1 ? reports[0] : reports, () => {
    for (const [index, report] of reports.entries()) {
      if (index > 0) output.line()
      printReport(output, ids[index]!, report)
    }
    output.next({ description: 'Show its state', command: `mcp status ${ids[0]}` })
  })
  return reports.some(({ status }) => status === 'unhealthy') ? EXIT.failed : EXIT.done
}

function printReport(output: Output, id: string, report: AnyHealthReport): void {
  const { status, requests, checks = [], instances } = report
  output.line(`${output.style.bold(id)} is ${status ?? 'in an unknown state'}`)
  output.fields({
    instances: Array.isArray(instances) ? String(instances.length) : undefined,
    requests:
      requests && `${requests.total}, ${requests.errors} failed (${formatPercent(requests.errorRate)})`,
    latency:
      requests && `${formatMs(requests.p50Ms)} median, ${formatMs(requests.p99Ms)} at the 99th percentile`,
    ...otherFields(report),
  })
  for (const { name, status: outcome, message } of checks) {
    const mark = outcome === 'fail' ? output.style.red('fail') : output.style.green('pass')
    output.line(`  ${mark}  ${name}: ${message}`)
  }
}

const KNOWN_FIELDS = [
  'deploymentId',
  'status',
  'checkedAt',
  'instances',
  'requests',
  'recent',
  'tools',
  'checks',
]

/** Additional fields of other APIs. */
function otherFields(report: AnyHealthReport): Record<string, string> {
  const plain = Object.entries(report).filter(
    ([name, value]) => !KNOWN_FIELDS.includes(name) && ['string', 'number', 'boolean'].includes(typeof value),
  )
  return Object.fromEntries(plain.map(([name, value]) => [name, String(value)]))
}
