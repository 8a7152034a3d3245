import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { benchBuilds } from './builds.ts'
import { benchConsole } from './console/main.ts'
import { benchDeployTime } from './deploy-time.ts'
import { benchGrowth } from './growth.ts'
import { benchMemory } from './memory.ts'
import { benchOAuth } from './oauth.ts'
import { benchReload } from './reload.ts'
import { describeMachine, formatSection, missed, replaceSection } from './report.ts'
import { benchRows } from './rows.ts'
import { benchSandbox } from './sandbox.ts'
import { benchStartUp } from './start-up.ts'
import { benchStdioBridge } from './stdio-bridge.ts'
import { benchThroughput } from './throughput.ts'
import { benchWake } from './wake.ts'

const BENCHMARKS = {
  'start-up': { title: 'Command start-up', run: benchStartUp },
  deploy: { title: 'From deploy to the first answered call', run: benchDeployTime },
  sandbox: { title: 'Sandbox of handler modules', run: benchSandbox },
  wake: { title: 'From sleep to the first answered call', run: benchWake },
  builds: { title: 'Builds of a TypeScript project', run: benchBuilds },
  reload: { title: 'mcp dev', run: benchReload },
  throughput: { title: 'Throughput of tools/call', run: benchThroughput },
  bridge: { title: 'Throughput of a server over stdio', run: benchStdioBridge },
  oauth: { title: 'OAuth component', run: benchOAuth },
  growth: { title: 'Growth', run: benchGrowth },
  rows: { title: 'Lists, counts and log pages with 1,000 and 1,000,000 rows', run: benchRows },
  console: { title: 'Console', run: benchConsole },
  memory: { title: 'Memory', run: benchMemory },
} as const

const { values, positionals: chosen } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
})
const unknown = chosen.filter(name => !(name in BENCHMARKS))
if (unknown.length > 0) {
  console.error(`Unknown benchmark "${unknown[0]}". Choose from: ${Object.keys(BENCHMARKS).join(', ')}.`)
  process.exit(2)
}

const DOCUMENT = new URL('../docs/reports/performance.md', import.meta.url)
let misses = 0
for (const [name, { title, run }] of Object.entries(BENCHMARKS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  const machine = await describeMachine()
  try {
    const figures = await run()
    const section = formatSection(title, machine, figures)
    console.log(`\n${section}`)
    if (values.write) writeFileSync(DOCUMENT, replaceSection(readFileSync(DOCUMENT, 'utf8'), title, section))
    misses += missed(figures).length
  } catch (error) {
    // The other benchmarks still run. A benchmark that failed has not met its limits.
    console.error(`${title} could not be measured:`, error)
    misses++
  }
}
console.log(misses === 0 ? '\nAll limits are met.' : `\nMissed limits: ${misses}.`)
process.exitCode = misses === 0 ? 0 : 1
