import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../../../node_modules/.bin/conformance', import.meta.url))

/** Failed checks by scenario. A scenario without any has passed. */
export type Outcome = Record<string, string[]>

/** Runs the conformance suite's scored and unscored scenarios for a revision against a server. */
export async function runConformance(url: string, revision: string): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-conformance-'))
  try {
    await runToEnd(['server', '--url', url, '--requirements', revision, '--output-dir', folder])
    return readOutcome(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

// The suite exits with 1 for a failed scenario. The outcome has the details.
function runToEnd(args: string[]): Promise<void> {
  return new Promise(resolve => {
    execFile(process.execPath, [PROGRAM, ...args], { maxBuffer: 64 * 1024 * 1024 }, () => resolve())
  })
}

function readOutcome(folder: string): Outcome {
  const outcome: Outcome = {}
  for (const entry of readdirSync(folder)) {
    const scenario = entry.replace(/^server-(.+?)-\d{4}-\d\d-\d\dT.*$/, '$1')
    const checks: { id: string; status: string }[] = JSON.parse(
      readFileSync(join(folder, entry, 'checks.json'), 'utf8'),
    )
    outcome[scenario] = checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id)
  }
  return outcome
}
