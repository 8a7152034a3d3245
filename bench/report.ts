/** One figure of a benchmark, beside what it is measured against and the limit it has to keep (docs/performance.md). */
export interface Figure {
  name: string
  /** As printed, for example `41.2 ms` or `8,900/s`. */
  value: string
  /** What the limit is about: a ratio, milliseconds or bytes. */
  measured?: number
  limit?: { at: 'most' | 'least'; value: number; unit?: string }
}

/** Prints the figures as a Markdown table; the same text stands in docs/performance.md. */
export function printTable(title: string, figures: Figure[]): void {
  console.log(`\n### ${title}\n\n| figure | value | reach | |\n|---|---|---|---|`)
  for (const figure of figures) {
    console.log(`| ${figure.name} | ${figure.value} | ${limitText(figure)} | ${verdict(figure)} |`)
  }
}

export function missed(figures: Figure[]): Figure[] {
  return figures.filter(figure => verdict(figure) === 'missed')
}

function limitText({ limit }: Figure): string {
  if (!limit) return ''
  return `${limit.at === 'most' ? '≤' : '≥'} ${limit.value}${limit.unit ? ` ${limit.unit}` : ''}`
}

function verdict({ measured, limit }: Figure): 'met' | 'missed' | '' {
  if (!limit || measured === undefined) return ''
  const met = limit.at === 'most' ? measured <= limit.value : measured >= limit.value
  return met ? 'met' : 'missed'
}
