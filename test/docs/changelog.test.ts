import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { keepAChangelog, newestEntry } from '../../scripts/changelog.ts'

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

test('converts a Changesets entry to the Keep a Changelog format', () => {
  const written =
    '# Changelog\n\n## 0.3.0\n\n### Minor Changes\n\n- 1a2b3c4: Import clients\n\n## [0.2.0] - 2026-11-22\n'
  expect(keepAChangelog(written, '2026-12-01')).toBe(
    '# Changelog\n\n## [0.3.0] - 2026-12-01\n\n### Added\n\n- Import clients\n\n## [0.2.0] - 2026-11-22\n',
  )
})

test('the release notes are the newest entry of the changelog', () => {
  expect(newestEntry('# Changelog\n\n## [2.0.0] - x\n\n- two\n\n## [1.0.0] - y\n\n- one\n')).toBe('- two\n')
})

test('the newest changelog entry is for the version of the package', () => {
  const [, version] = /^## \[(.+)\]/m.exec(read('CHANGELOG.md'))!
  expect(version).toBe(JSON.parse(read('package.json')).version)
})
