import { type Mutation, type MutationTable, testFiles } from './mutations/mutation.ts'
import { TABLES } from './mutations/tables.ts'
import { root, Workplace } from './mutations/workplace.ts'
import { wrongRows } from './mutations/wrong-rows.ts'

/** Marks of tests that start a daemon, or a command, from `dist/`. */
const OWN_PROCESS = /createHome|MCP_BIN|killBuilds|daemon\.js/
/** Marks of tests that start any program of `dist/`. */
const ANY_PROCESS = /\/helpers\/|dist\//

/**
 * Takes out what keeps a promise, one piece of code at a time and in a copy, and runs the tests that stand beside it: one of them must
 * fail. `npm run mutations [-- [table] [part of a fault]]`; ends with 1 when a fault goes unseen. `--only-broken` leaves out that the
 * tests pass as it is.
 */
const [title = '', part = ''] = process.argv.slice(2).filter(argument => !argument.startsWith('--'))
const tables = TABLES.filter(table => table.title.startsWith(title)).map(table => ({
  ...table,
  mutations: table.mutations.filter(({ fault }) => fault.includes(part)),
}))

if (tables.every(({ mutations }) => mutations.length === 0))
  throw new Error(
    `No fault is named so. There are the tables ${TABLES.map(table => table.title).join(', ')}.`,
  )
const wrong = (await Promise.all(tables.map(table => wrongRows(root, table)))).flat()
if (wrong.length > 0) throw new Error(wrong.join('\n'))
using workplace = new Workplace()
await tryAll()

async function tryAll(): Promise<void> {
  let [seen, unseen] = [0, 0]
  for (const table of tables.filter(({ mutations }) => mutations.length > 0)) {
    await workplace.build()
    if (!process.argv.includes('--only-broken') && !(await isGreen(table))) unseen++
    // Those that break `dist/` come last.
    for (const mutation of table.mutations.toSorted((a, b) => rank(table, a) - rank(table, b))) {
      if (await isSeen(table, mutation)) seen++
      else unseen++
    }
  }
  console.log(`${seen} faults were seen, ${unseen} were not`)
  process.exitCode = unseen === 0 ? 0 : 1
}

function rank(table: MutationTable, mutation: Mutation): number {
  return Number(isBuilt(table, mutation))
}

/** Whether its tests meet the code in a program of `dist/`: most have the daemon in their own process, and only instances in others. */
function isBuilt(table: MutationTable, mutation: Mutation): boolean {
  const texts = testFiles(table, mutation).map(path => workplace.read(path))
  const isLocal = /^src\/(daemon|sdk)\//.test(`${table.files}/${mutation.file}`)
  return texts.some(text => (isLocal ? OWN_PROCESS : ANY_PROCESS).test(text))
}

/** Tests that fail anyway see nothing. */
async function isGreen(table: MutationTable): Promise<boolean> {
  const files = [...new Set(table.mutations.flatMap(mutation => testFiles(table, mutation)))]
  const { passed, failed, output } = await workplace.test(files, { bail: false })
  const isGreen = passed > 0 && failed.length === 0
  if (isGreen) console.log(`${table.title}: ${passed} tests of ${files.length} files pass as it is`)
  else console.log(`RED     ${table.title} as it is: ${failed.join('; ') || output}`)
  return isGreen
}

async function isSeen(table: MutationTable, mutation: Mutation): Promise<boolean> {
  const { fault, named } = mutation
  const path = `${table.files}/${mutation.file}`
  const source = workplace.read(path)
  workplace.write(
    path,
    source.replace(mutation.code, () => mutation.without),
  )
  try {
    const files = testFiles(table, mutation)
    if (isBuilt(table, mutation)) await workplace.build()
    const { passed, failed, output } = await workplace.test(files, { named, bail: true })
    const [first] = failed
    if (passed === 0 && first === undefined) console.log(`NOT RUN ${fault}\n${output}`)
    else console.log(first === undefined ? `UNSEEN  ${fault}` : `seen    ${fault}  (${first})`)
    return first !== undefined
  } finally {
    workplace.write(path, source)
  }
}
