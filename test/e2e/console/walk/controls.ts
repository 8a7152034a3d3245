import { describe, expect, type RunnerTask, test } from 'vitest'
import { CHROMIUM } from '../../../helpers/clients/chromium.ts'
import { controlsInSource } from './controls-in-source.ts'
import { usedControls } from './used-controls.ts'

describe.runIf(CHROMIUM !== undefined)('the tests of the console', () => {
  // Must be the last test of its file.
  test('the tests of the console use every button, link and field', ({ task, skip }) => {
    skip(
      task.file.tasks.some(one => isIncomplete(one, task.id)),
      'not all tests of the console have passed',
    )
    const used = [...usedControls]
    const unused = controlsInSource().filter(({ pattern }) => !used.some(control => pattern.test(control)))
    expect(unused.map(({ place }) => place)).toEqual([])
  })
})

/** Whether tests other than the running one were skipped or have failed. */
function isIncomplete(task: RunnerTask, running: string): boolean {
  if (task.type === 'suite') return task.tasks.some(one => isIncomplete(one, running))
  return task.id !== running && task.result?.state !== 'pass'
}
