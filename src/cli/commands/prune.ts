import type { PruneResult, UnusedItem, UnusedList } from '../../shared/contract/daemon/prune.ts'
import { counted } from '../../shared/counted.ts'
import { formatBytes } from '../../shared/format/metric-format.ts'
import { formatElapsed } from '../../shared/format/relative-time.ts'
import { defineCommand } from '../command-line/command.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import type { Output } from '../output/output.ts'
import { confirm } from '../output/prompt.ts'
import { shortId } from '../output/tables/deployment-table.ts'

export default defineCommand({
  name: 'prune',
  description:
    'Remove what is no longer used, after listing each item with its age and size: failed builds, failed deployments that were followed by another deployment, builds that no deployment, preview or rollback needs, container images of removed builds, databases and state that a restore replaced at least a week ago, and files that have been unknown to the database for a week. Data in use, variables and live servers are never removed.',
  options: {
    dryRun: { type: 'boolean', doc: 'only list what would be removed' },
    olderThan: { type: 'duration', value: 'age', doc: 'only items of at least this age, such as 7d' },
  },
  examples: {
    'mcp prune --dry-run': 'what would be removed',
    'mcp prune': 'remove it, after confirmation',
    'mcp prune --older-than 7d --yes': 'in a scheduled job',
  },
  async run(context, { dryRun, olderThan = 0 }): Promise<ExitCode> {
    const { output } = context
    const api = await context.api()
    const all = await output.progress('Looking for unused builds and files', () =>
      api.get<UnusedList>('/api/prune'),
    )
    const limit = Date.now() - olderThan
    const items = all.items.filter(({ createdAt }) => Date.parse(createdAt) <= limit)
    const bytes = sumOf(items)
    if (items.length === 0 || dryRun) {
      output.result({ items, bytes }, () => {
        printItems(output, items)
        if (items.length > 0)
          output.next({ description: 'Remove these items', command: removalCommand(olderThan) })
      })
      return EXIT.done
    }
    if (!output.json) printItems(output, items)
    const what = `${counted(items.length, 'item')} (${formatBytes(bytes)})`
    await confirm(context, {
      question: `Permanently remove ${what}?`,
      action: `Removing ${what} permanently`,
    })
    const ids = items.map(({ kind, id }) => ({ kind, id }))
    const result = await output.progress('Removing', () =>
      api.post<PruneResult>('/api/prune', { items: ids }),
    )
    output.result(result, () => printResult(output, result))
    return result.kept.length > 0 ? EXIT.failed : EXIT.done
  },
})

function printItems(output: Output, items: readonly UnusedItem[]): void {
  const rows = items.map(({ kind, id, name, reason, createdAt, bytes }) => [
    kind,
    shortId(id),
    name,
    reason,
    formatElapsed(createdAt),
    formatBytes(bytes),
  ])
  output.table(['KIND', 'ID', 'SERVER', 'REASON', 'AGE', 'SIZE'], rows, 'Nothing to remove.')
  if (items.length > 0) output.line(`${counted(items.length, 'item')}, ${formatBytes(sumOf(items))}`)
}

function printResult(output: Output, { items, bytes, kept }: PruneResult): void {
  output.line(`Removed ${counted(items.length, 'item')}, ${formatBytes(bytes)}`)
  for (const { kind, id, reason } of kept) output.line(`Kept ${kind} ${id}: ${reason}`)
}

function sumOf(items: readonly UnusedItem[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes, 0)
}

function removalCommand(olderThanMs: number): string {
  return olderThanMs > 0 ? `mcp prune --older-than ${Math.ceil(olderThanMs / 1000)}s` : 'mcp prune'
}
