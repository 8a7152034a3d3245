import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const FULL_CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Executable of the browser in tests. Undefined if none is installed, which skips the tests. */
// The headless shell has no window UI. Tests with it take 25 % less CPU time.
export const CHROMIUM = findChromium(process.env, ['/usr/bin/chromium-headless-shell', ...FULL_CHROMIUM])

/**
 * The browser that `CHROMIUM` names, or the first of the paths that exists. Throws in CI if there is none, because skipped tests
 * would go unnoticed there.
 */
export function findChromium(env: NodeJS.ProcessEnv, paths: readonly string[] = FULL_CHROMIUM) {
  const found = [env.CHROMIUM, ...paths].find(path => path !== undefined && existsSync(path))
  if (found === undefined && env.CI === 'true')
    throw new Error('No Chromium found. Install chromium-headless-shell or chromium, or set CHROMIUM.')
  return found
}

interface LaunchOptions {
  args?: string[]
  executablePath?: string
}

export function launchChromium({
  args = [],
  executablePath = CHROMIUM!,
}: LaunchOptions = {}): Promise<Browser> {
  // The sandbox needs user namespaces, which containers do not always have.
  return chromium.launch({ executablePath, args: ['--no-sandbox', ...args] })
}
