import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { CHROMIUM, launchChromium } from '../../helpers/clients/chromium.ts'

/** Browser that all console tests share. */
export let browser: Browser

/** Starts the browser before the tests of the calling file and closes it after them. */
export function useBrowser(): void {
  if (CHROMIUM === undefined) return
  beforeAll(async () => {
    // The headless shell puts all frames into one process. Chromium and Firefox isolate sites, so the tests must too.
    browser = await launchChromium({ args: ['--site-per-process'] })
  })
  afterAll(() => browser?.close())
}
