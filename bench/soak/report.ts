import { cpus, totalmem } from 'node:os'
import type { Ledger } from './ledger.ts'
import type { Sample } from './samples.ts'
import type { Verdict } from './verdict.ts'
import type { Witness } from './witness.ts'

/** Counts at the end of a part of the run. */
export interface Mark {
  at: number
  answered: number
  excused: number
  unexpected: number
}

export interface SoakReport {
  minutes: number
  /** Number of targets, mean pause of a client, and the share of one core that the daemon and its processes used. */
  load: { targets: number; pauseMs: number; coreShare: number }
  judgedFrom: number
  /** Whether memory was measured while the load paused. */
  hasRested: boolean
  samples: Sample[]
  marks: Mark[]
  verdicts: Verdict[]
  /** Series with too few samples for a verdict. */
  unjudged: string[]
  ledger: Ledger
  witness: ReturnType<Witness['report']>
  orphans: number
}

/** Reasons why the run failed. Empty when it passed. */
export function faultsOf({ ledger, verdicts, unjudged, witness, orphans }: SoakReport): string[] {
  const grown = verdicts.filter(({ isFlat }) => !isFlat)
  return [
    ...(ledger.unexpectedCount > 0 ? [`${ledger.unexpectedCount} unexpected failures`] : []),
    ...(verdicts.length === 0 ? ['too short for a verdict on any process'] : []),
    ...unjudged.map(name => `too few samples of ${name}`),
    ...grown.map(({ name, growth, unit }) => `${name} grew by ${growth.toFixed(1)} ${unit}`.trimEnd()),
    ...(witness.lost.length > 0 ? [`${witness.lost.length} lost log lines`] : []),
    ...(witness.answered === 0 ? ['no call with a log line was answered'] : []),
    ...(orphans > 0 ? [`${orphans} orphaned processes`] : []),
  ]
}

/** Contents of docs/reports/soak.md. */
export function formatReport(report: SoakReport): string {
  const { ledger, witness, load, minutes } = report
  const faults = faultsOf(report)
  const machine = `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GB`
  return [
    '# Soak',
    '',
    '`npm run soak` loads a daemon for an hour while it injects faults. It fails when memory or descriptors grow, when a log line is',
    'lost, or when a request fails for a reason other than an injected fault. `npm run soak -- --minutes 2` is a short run.',
    '`--write` updates this page.',
    '',
    `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${machine}, ${minutes} minutes: **${faults.length === 0 ? 'passed' : `failed: ${faults.join(', ')}`}**.`,
    '',
    '## Load',
    '',
    `${load.targets} deployments: declared servers, handler modules and programs over stdio, in production, staging and development. Each has`,
    'five clients: one for 2026-07-28, one for 2025-11-25 that opens one session after another, one that keeps a stream open, one',
    `that disconnects during requests, and one that takes two seconds to send a request. The mean pause between two requests is`,
    `${load.pauseMs} ms. The daemon and its processes used ${Math.round(load.coreShare * 100)} % of one core.`,
    '',
    table(['event', 'count'], [...ledger.events].sort()),
    '',
    '## Requests',
    '',
    table(
      ['', 'requests'],
      [
        ['answered correctly', ledger.answered],
        ...[...ledger.excused].map(([cause, count]) => [`failed during: ${cause}`, count] as const),
        ['failed unexpectedly', ledger.unexpectedCount],
      ],
    ),
    '',
    ...ledger.unexpected
      .slice(0, 20)
      .map(({ at, subject, message }) => `- ${at} ${subject}: ${oneLine(message)}`),
    `Log lines: ${witness.answered} calls printed one line each, read with \`mcp logs -f\`. ${witness.lost.length} were lost. ${witness.withInstance} more were lost with an`,
    `instance that was killed before it wrote them. An instance writes its lines every tenth of a second. Orphaned processes: ${report.orphans}.`,
    '',
    '## Memory and descriptors over time',
    '',
    'Each row is the mean of one part of the run. "Processes" are the descendants of the daemon. MB are proportional (PSS), except for',
    "the RSS of the daemon. Threads do not include the four of libuv's pool, which start on first use.",
    '',
    parts(report),
    '',
    ...(report.hasRested ? ['## Memory at rest', '', ...atRest(report), ''] : []),
    '## Verdict',
    '',
    `A least-squares line is fitted to ${report.hasRested ? 'the memory at rest' : 'the minimum memory of each slot'} and to the median number of descriptors of each slot, from minute ${(report.judgedFrom / 60).toFixed(1)}`,
    'on. Before that, the daemon and the shared process are killed as well, and caches fill up. "May grow" is the limit for the whole measurement.',
    "The daemon's descriptors do not include the channels of known instances, because their number varies with the earlier releases",
    'that still serve sessions.',
    '',
    table(
      ['process', 'first', 'last', 'per hour', 'growth', 'may grow', ''],
      report.verdicts.map(verdict => [
        verdict.name,
        `${verdict.points[0]!.value.toFixed(1)} ${verdict.unit}`,
        `${verdict.points.at(-1)!.value.toFixed(1)} ${verdict.unit}`,
        signed(verdict.slopePerHour),
        signed(verdict.growth),
        String(verdict.mayGrow),
        verdict.isFlat ? 'flat' : '**grows**',
      ]),
    ),
    '',
  ].join('\n')
}

function atRest({ verdicts }: SoakReport): string[] {
  const rows = verdicts.filter(({ unit }) => unit === 'MB')
  const times = [...new Set(rows.flatMap(({ points }) => points.map(({ at }) => at)))].sort((a, b) => a - b)
  return [
    'Six times during the run, all clients pause for 75 s. Streams end and V8 releases its reserves before each process is measured.',
    'These pauses do not count towards the duration of the run. In MB.',
    '',
    table(
      ['process', ...times.map(at => `${(at / 60).toFixed(0)} min`)],
      rows.map(({ name, points }) => [
        name,
        ...times.map(time => points.find(({ at }) => at === time)?.value.toFixed(1) ?? ''),
      ]),
    ),
  ]
}

function parts({ marks, samples }: SoakReport): string {
  let before: Mark = { at: 0, answered: 0, excused: 0, unexpected: 0 }
  const rows = marks.map(mark => {
    const within = samples.filter(({ at }) => at > before.at && at <= mark.at)
    const mean = (value: (sample: Sample) => number) =>
      (within.reduce((sum, sample) => sum + value(sample), 0) / within.length).toFixed(0)
    const row = [
      `${(mark.at / 60).toFixed(0)} min`,
      mark.answered - before.answered,
      mark.excused - before.excused,
      mark.unexpected - before.unexpected,
      mean(({ daemon }) => daemon.residentMb),
      mean(({ daemon }) => daemon.proportionalMb),
      mean(({ daemon }) => daemon.descriptors),
      mean(({ daemon }) => daemon.threads),
      mean(({ processes }) => processes),
      mean(({ processesMb }) => processesMb),
      mean(({ processDescriptors }) => processDescriptors),
    ]
    before = mark
    return row
  })
  const head = ['until', 'answered', 'excused', 'unexpected', 'daemon RSS', 'PSS', 'descriptors', 'threads']
  return table([...head, 'processes', 'MB', 'descriptors'], rows)
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

function signed(value: number): string {
  return `${value >= 0 ? '+' : ''}${value.toFixed(1)}`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')
}
