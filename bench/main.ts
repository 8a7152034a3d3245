import { cpus, totalmem } from 'node:os'
import { benchBuilds } from './builds.ts'
import { benchDeployTime } from './deploy-time.ts'
import { benchGrowth } from './growth.ts'
import { benchMemory } from './memory.ts'
import { benchOAuth } from './oauth.ts'
import { benchReload } from './reload.ts'
import { missed, printTable } from './report.ts'
import { benchRows } from './rows.ts'
import { benchStartUp } from './start-up.ts'
import { benchStdioBridge } from './stdio-bridge.ts'
import { benchThroughput } from './throughput.ts'

const BENCHMARKS = {
  'start-up': { title: 'Command start-up', run: benchStartUp },
  deploy: { title: 'From deploy to the first answered call', run: benchDeployTime },
  builds: { title: 'Builds of a TypeScript project', run: benchBuilds },
  reload: { title: 'mcp dev', run: benchReload },
  throughput: { title: 'Throughput of tools/call', run: benchThroughput },
  bridge: { title: 'Throughput of a server over stdio', run: benchStdioBridge },
  oauth: { title: 'OAuth component', run: benchOAuth },
  growth: { title: 'Growth', run: benchGrowth },
  rows: { title: 'Lists, counts and log pages with 1,000 and 1,000,000 rows', run: benchRows },
  memory: { title: 'Memory', run: benchMemory },
} as const

const chosen = process.argv.slice(2)
const unknown = chosen.filter(name => !(name in BENCHMARKS))
if (unknown.length > 0) {
  console.error(`There is no benchmark "${unknown[0]}"; there are ${Object.keys(BENCHMARKS).join(', ')}.`)
  process.exit(2)
}

console.log(
  `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GB`,
)
let misses = 0
for (const [name, { title, run }] of Object.entries(BENCHMARKS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  const figures = await run()
  printTable(title, figures)
  misses += missed(figures).length
}
console.log(misses === 0 ? '\nEvery limit is met.' : `\n${misses} limits were missed.`)
process.exitCode = misses === 0 ? 0 : 1
