import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'

interface Workflow {
  jobs: Record<string, { env?: Record<string, string>; steps: { run?: string }[] }>
}

/**
 * Runs the `run:` steps of a workflow for GitHub Actions in order, each job in an empty home. Values of `vars` and `secrets` are
 * environment variables. Usage: node run-workflow.ts .github/workflows/mcp.yml
 */
function runWorkflow(file: string): void {
  const { jobs } = parse(readFileSync(file, 'utf8')) as Workflow
  for (const { env = {}, steps } of Object.values(jobs)) {
    const home = mkdtempSync(join(tmpdir(), 'mcp-workflow-'))
    const own = Object.entries(env).map(([name, value]) => [name, evaluate(value)])
    const inJob = {
      ...process.env,
      ...Object.fromEntries(own),
      HOME: home,
      GITHUB_STEP_SUMMARY: join(home, 'summary.md'),
    }
    for (const { run } of steps) if (run) runStep(run, inJob)
    spawnSync('mcp', ['--context', 'local', 'daemon', 'stop'], { env: { ...process.env, HOME: home } })
    rmSync(home, { recursive: true })
  }
}

function evaluate(value: string): string {
  return value.replaceAll(/\$\{\{ (?:vars|secrets)\.(\w+) \}\}/g, (_, name) => process.env[name] ?? '')
}

function runStep(script: string, env: NodeJS.ProcessEnv): void {
  console.log(`$ ${script}`)
  const { status } = spawnSync('sh', ['-ec', script], { env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

runWorkflow(process.argv[2]!)
