import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { writeFileAtomic } from '../src/shared/atomic-file.ts'

const CHANGELOG = fileURLToPath(new URL('../CHANGELOG.md', import.meta.url))

/** Changesets headings and the corresponding ones of https://keepachangelog.com. */
const HEADINGS: Record<string, string> = {
  'Major Changes': 'Changed',
  'Minor Changes': 'Added',
  'Patch Changes': 'Fixed',
}

/** Turns the entry that `changeset version` has written into the format of Keep a Changelog. */
export function keepAChangelog(text: string, day: string): string {
  return text
    .replaceAll(/^## (\d\S*)$/gm, `## [$1] - ${day}`)
    .replaceAll(/^### (.+ Changes)$/gm, (line, heading) => `### ${HEADINGS[heading] ?? line.slice(4)}`)
    .replaceAll(/^- [0-9a-f]{7}: /gm, '- ')
}

/** The newest entry without its heading. */
export function newestEntry(text: string): string {
  const [, entry = ''] = text.split(/^## .*$/m)
  return `${entry.trim()}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = readFileSync(CHANGELOG, 'utf8')
  if (process.argv[2] === 'notes') process.stdout.write(newestEntry(text))
  else writeFileAtomic(CHANGELOG, keepAChangelog(text, new Date().toISOString().slice(0, 10)), 0o644)
}
