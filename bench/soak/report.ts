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
  /** Clients of one target, targets, and the share of one core that the daemon and all its processes took. */
  load: { targets: number; pauseMs: number; coreShare: number }
  judgedFrom: number
  /** Memory was looked at in pauses of the load. */
  hasRested: boolean
  samples: Sample[]
  marks: Mark[]
  verdicts: Verdict[]
  /** What was watched, and not seen often enough to judge it. */
  unjudged: string[]
  ledger: Ledger
  witness: ReturnType<Witness['report']>
  orphans: number
}

/** The reasons why the run has failed; none when all held. */
export function faultsOf({ ledger, verdicts, unjudged, witness, orphans }: SoakReport): string[] {
  const grown = verdicts.filter(({ isFlat }) => !isFlat)
  return [
    ...(ledger.unexpectedCount > 0 ? [`${ledger.unexpectedCount} unexpected failures`] : []),
    ...(verdicts.length === 0 ? ['too short to judge any process'] : []),
    ...unjudged.map(name => `too little was seen of ${name}`),
    ...grown.map(({ name, growth, unit }) => `${name} grew by ${growth.toFixed(1)} ${unit}`.trimEnd()),
    ...(witness.lost.length > 0 ? [`${witness.lost.length} lost log lines`] : []),
    ...(witness.answered === 0 ? ['no log line was waited for'] : []),
    ...(orphans > 0 ? [`${orphans} orphaned processes`] : []),
  ]
}

/** As it stands in docs/reports/soak.md. */
export function formatReport(report: SoakReport): string {
  const { ledger, witness, load, minutes } = report
  const faults = faultsOf(report)
  const machine = `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GB`
  return [
    '# Soak',
    '',
    '`npm run soak` loads a daemon for an hour while things go wrong, and fails when anything grows, is lost or fails that',
    'should not; `npm run soak -- --minutes 2` is its short form, `--write` puts the report here.',
    '',
    `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${machine}, ${minutes} minutes: **${faults.length === 0 ? 'passed' : `failed: ${faults.join(', ')}`}**.`,
    '',
    '## Load',
    '',
    `${load.targets} deployments: servers that are declared, handler modules, and programs over stdio, each in production, staging and`,
    `development. For each one client of 2026-07-28, one of 2025-11-25 with a session after the other, one that keeps a stream`,
    `open, one that vanishes in the middle of requests, and one that takes two seconds to send its request; a pause of ${load.pauseMs} ms on`,
    `average between requests. The daemon and all its processes took ${Math.round(load.coreShare * 100)} % of one core.`,
    '',
    table(['what was done or seen', 'times'], [...ledger.events].sort()),
    '',
    '## Requests',
    '',
    table(
      ['', 'requests'],
      [
        ['answered as they should be', ledger.answered],
        ...[...ledger.excused].map(
          ([cause, count]) => [`failed while under way at: ${cause}`, count] as const,
        ),
        ['failed unexpectedly', ledger.unexpectedCount],
      ],
    ),
    '',
    ...ledger.unexpected
      .slice(0, 20)
      .map(({ at, subject, message }) => `- ${at} ${subject}: ${oneLine(message)}`),
    `Log lines: ${witness.answered} calls printed one each, followed by \`mcp logs -f\`: ${witness.lost.length} lost, ${witness.withInstance} gone with an instance`,
    `that was killed within the tenth of a second in which it gathers lines. Orphaned processes: ${report.orphans}.`,
    '',
    '## Memory and descriptors over time',
    '',
    `Each line is the mean of its part. Processes are all below the daemon; MB proportional, but for the daemon's resident ones;`,
    "threads without libuv's pool, whose four start when it is first used.",
    '',
    parts(report),
    '',
    ...(report.hasRested ? ['## Memory at rest', '', ...atRest(report), ''] : []),
    '## Verdict',
    '',
    `By the line of least squares through ${report.hasRested ? 'the memory at rest' : 'the least memory of each slot'} and the median of descriptors of each slot, from minute ${(report.judgedFrom / 60).toFixed(1)} on:`,
    'before it the daemon and the shared process are killed as well, and everything warms up. What may grow is for the whole time.',
    "Of the daemon's descriptors the channels of instances that deployments tell of are taken off: releases that sessions keep come",
    'and go.',
    '',
    table(
      ['process', 'first', 'last', 'an hour', 'grown', 'may grow', ''],
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
    'Now and then everybody waits for 75 s, streams end, and V8 gives back what it holds in reserve; then each process is looked',
    'at. The clock of the load stands still meanwhile. MB.',
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
