import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findBubblewrap } from '../../../src/shared/sandbox/bubblewrap.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'

test.each([
  ['exit 3', 'exit code 3'],
  ['kill -9 $$', 'killed by SIGKILL'],
  ['echo "bwrap: No permissions" >&2; exit 1', 'bwrap: No permissions'],
])('reports why a bubblewrap that runs "%s" does not work', (script, why) => {
  using folder = createProjectFolder()
  const file = join(folder.path, 'bwrap')
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  expect(findBubblewrap(folder.path)).toEqual({
    usable: false,
    why: `bubblewrap does not work here (${why})`,
  })
})
