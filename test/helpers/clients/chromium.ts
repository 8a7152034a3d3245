import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Default path in Debian and other distributions. `CHROMIUM` overrides it. */
const PLACES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Executable of the browser. Undefined where none is installed, which skips its tests. */
export const CHROMIUM = PLACES.find(path => path !== undefined && existsSync(path))

export function launchChromium(args: string[] = []): Promise<Browser> {
  // The sandbox needs user namespaces, which containers do not always have.
  return chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox', ...args] })
}
