import { cpus, loadavg, totalmem } from 'node:os'
import { bareStartMs } from './durations.ts'

/** One figure of a benchmark with its limit, if any (docs/reports/performance.md). */
export interface Figure {
  name: string
  /** As printed, for example `41.2 ms` or `8,900/s`. */
  value: string
  /** The value that the limit applies to: a ratio, a percentage or an amount of memory. */
  measured?: number
  limit?: { at: 'most' | 'least'; value: number; unit?: string }
}

/** Date, Node version, machine, load average of the last minute, and the start time of a bare Node. */
export async function describeMachine(): Promise<string> {
  const day = new Date().toISOString().slice(0, 10)
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
  return `${day}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${memory}, load ${loadavg()[0]!.toFixed(1)} and a bare start of Node ${(await bareStartMs()).toFixed(0)} ms before`
}

/** One section of docs/reports/performance.md: heading, machine and table. */
export function formatSection(title: string, machine: string, figures: Figure[]): string {
  const rows = figures.map(
    figure => `| ${figure.name} | ${figure.value} | ${limitText(figure)} | ${verdict(figure)} |`,
  )
  return [
    `### ${title}`,
    '',
    machine,
    '',
    '| figure | value | reach | |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

/** The document with this section under "Figures". Replaces the section with the same title, or adds a new one at the end. */
export function replaceSection(document: string, title: string, section: string): string {
  const begin = document.indexOf('\n## Figures\n') + 1
  if (begin === 0) throw new Error('The document has no heading "## Figures".')
  const end = nextHeading(document, begin + 1, '## ')
  const at = document.indexOf(`\n### ${title}\n`, begin) + 1
  if (at === 0 || at > end) return `${document.slice(0, end)}${section}\n${document.slice(end)}`
  const until = Math.min(end, nextHeading(document, at + 1, '### '))
  return `${document.slice(0, at)}${section}\n${document.slice(until)}`
}

/** Index of the next line with this prefix. The end of the document when there is none. */
function nextHeading(document: string, from: number, begin: string): number {
  const at = document.indexOf(`\n${begin}`, from)
  return at < 0 ? document.length : at + 1
}

export function missed(figures: Figure[]): Figure[] {
  return figures.filter(figure => verdict(figure) === 'missed')
}

function limitText({ limit }: Figure): string {
  if (!limit) return ''
  return `${limit.at === 'most' ? '≤' : '≥'} ${Number(limit.value.toFixed(2))}${limit.unit ? ` ${limit.unit}` : ''}`
}

function verdict({ measured, limit }: Figure): 'met' | 'missed' | '' {
  if (!limit || measured === undefined) return ''
  const met = limit.at === 'most' ? measured <= limit.value : measured >= limit.value
  return met ? 'met' : 'missed'
}
