import type {
  SuiteRunCase,
  SuiteRunRecord,
  SuiteRunSummary,
  TranscriptEntry,
} from '../../shared/contract/testing/suite-runs.ts'
import { formatDurationMs } from '../../shared/duration.ts'
import { formatAge } from '../../shared/format/relative-time.ts'
import { defineCommand } from '../command-line/command.ts'
import type { Output } from '../output/output.ts'
import { confirm } from '../output/prompt.ts'

const RUN = {
  run: { kind: 'suite run', required: true, doc: 'id of the run, as printed by `mcp tests list`' },
} as const

export const list = defineCommand({
  name: 'tests list',
  description:
    'List suite runs, newest first. mcp test and mcp deploy --require-test store each run. The newest 100 runs per server are kept.',
  arguments: { server: { kind: 'server', doc: 'only runs against this server' } },
  options: {
    limit: { type: 'integer', short: 'n', value: 'count', default: 20, doc: 'maximum number of runs' },
  },
  examples: {
    'mcp tests list': 'the newest 20',
    'mcp tests list weather -n 100 --json': 'as JSON',
  },
  async run({ output, api }, { server, limit }) {
    const path = '/api/suite-runs'
    const { items } = await (await api()).get<{ items: SuiteRunSummary[] }>(path, { server, limit })
    output.result(items, () => {
      const headers = ['ID', 'SERVER', 'SUITE', 'MODELS', 'RESULT', 'CASES', 'TIME', 'AGE']
      output.table(headers, items.map(rowOf), 'No suite runs.')
      output.next(
        items[0]
          ? { description: 'Show a run', command: `mcp tests show ${items[0].id}` }
          : { description: 'Run a suite', command: 'mcp test --suite <file>' },
      )
    })
  },
})

export const show = defineCommand({
  name: 'tests show',
  description: 'Show the cases of a suite run. Prints the transcripts of runs that did not pass.',
  arguments: RUN,
  options: { transcripts: { type: 'boolean', doc: 'print the transcripts of all runs' } },
  examples: { 'mcp tests show srun_4h7k… --json': 'everything that is stored' },
  async run({ output, api }, { run: id, transcripts }) {
    const run = await (await api()).get<SuiteRunRecord>(`/api/suite-runs/${encodeURIComponent(id)}`)
    output.result(run, () => {
      for (const one of run.cases) showCase(output, one, transcripts)
      output.line()
      output.line(summaryOf(run))
      if (run.definition)
        output.next({ description: 'Run its suite again', command: `mcp test --suite ${id}` })
    })
  },
})

export const remove = defineCommand({
  name: 'tests remove',
  arguments: RUN,
  examples: { 'mcp tests remove srun_4h7k… --yes': 'without confirmation' },
  async run(context, { run: id }) {
    const client = await context.api()
    await confirm(context, {
      question: `Permanently remove run ${id}?`,
      action: `Removing run ${id} permanently`,
    })
    await client.delete(`/api/suite-runs/${encodeURIComponent(id)}`)
    context.output.result({ removed: id }, () => context.output.line(`Removed run ${id}`))
  },
})

function rowOf(run: SuiteRunSummary): string[] {
  return [
    run.id,
    run.server,
    run.suite ?? '',
    run.models.join(', '),
    run.status,
    `${run.passed}/${run.passed + run.failed + run.errors}`,
    formatDurationMs(run.seconds * 1000),
    formatAge(run.createdAt),
  ]
}

function showCase(output: Output, { name, model, status, runs }: SuiteRunCase, all: boolean): void {
  const { bold, dim, green, red, yellow } = output.style
  const sign = { passed: green('✓'), failed: red('✗'), error: yellow('!') }
  const passed = runs.filter(run => run.status === 'passed').length
  const rate = runs.length > 1 ? ` ${passed}/${runs.length}` : ''
  output.line(`${sign[status]} ${bold(name)}${rate} ${dim(`(${model})`)}`)
  // Lines in a server's text must not look like verdicts.
  const print = (text: string) => output.line(`    ${text.replaceAll('\n', '\n      ')}`, 6)
  for (const run of runs) {
    for (const failure of run.failures) print(failure)
    if (run.error) print(run.error.message)
    if (run.replay) print(dim(replayText(run.replay)))
    if (all || run.status !== 'passed') for (const entry of run.transcript) print(dim(entryText(entry)))
  }
}

/** `replayed, recorded 3 days ago` */
function replayText({ recordedAt }: { recordedAt: string | null }): string {
  return recordedAt === null ? 'replayed' : `replayed, recorded ${formatAge(recordedAt)}`
}

function entryText({ role, tool, arguments: args, text, error, isTruncated }: TranscriptEntry): string {
  const who = role === 'tool' ? `${tool} ${args}` : role
  return `${who}: ${error ?? text}${isTruncated ? '…' : ''}`
}

function summaryOf({
  id,
  server,
  suite,
  status,
  passed,
  failed,
  errors,
  models,
  createdAt,
}: SuiteRunSummary): string {
  const of = suite === null ? server : `${suite} of ${server}`
  const all = passed + failed + errors
  return [`${of} ${status}`, `${passed} of ${all} cases`, models.join(', '), formatAge(createdAt), id].join(
    ' · ',
  )
}
