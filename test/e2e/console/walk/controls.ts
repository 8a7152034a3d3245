import { describe, expect, type RunnerTask, test } from 'vitest'
import { CHROMIUM } from '../../../helpers/clients/chromium.ts'
import { controlsInSource } from './controls-in-source.ts'
import { usedControls } from './used-controls.ts'

/** Controls that no test uses yet. Most of them show the next page of a list, which takes hundreds of records. */
const UNUSED: readonly string[] = [
  'schema-form/results/media.tsx link Download',
  'views/builds/container-build-list.tsx button Showolderbuilds',
  'views/builds/server-build-list.tsx button Showolderbuilds',
  'views/chat/chat-list.tsx button Showmorechats',
  'views/server/playground/entry-list.tsx button Show.*more',
  'views/server/playground/sampling-form.tsx button Refuse',
  'views/server/releases/releases-tab.tsx button Showolderreleases',
  'views/server/tests/case-list.tsx button Showmorecases',
  'views/server/tests/running-suite.tsx button Dismiss',
  'views/server/tests/transcript.tsx button Showmoreoftheconversation',
]

describe.runIf(CHROMIUM !== undefined)('the tests of the console', () => {
  // Must be the last test of its file.
  test('use every button, link and field that is not listed as unused', ({ task, skip }) => {
    skip(
      task.file.tasks.some(one => isIncomplete(one, task.id)),
      'not all tests of the console have passed',
    )
    const used = [...usedControls]
    const unused = controlsInSource().filter(({ pattern }) => !used.some(control => pattern.test(control)))
    expect(unused.map(({ place }) => place).toSorted()).toEqual(UNUSED)
  })
})

/** Whether tests other than the running one were skipped or have failed. */
function isIncomplete(task: RunnerTask, running: string): boolean {
  if (task.type === 'suite') return task.tasks.some(one => isIncomplete(one, running))
  return task.id !== running && task.result?.state !== 'pass'
}
