import { FAULTS } from './faults/faults.ts'
import { findCode } from './faults/find-code.ts'
import { root, Workplace } from './faults/workplace.ts'

/**
 * Adds one fault at a time to a copy of the project and runs the tests that must detect it. Usage:
 * `npm run faults [-- <part of a title>]`. Exits with 1 when a fault goes undetected. First, all these tests must pass without a
 * fault (skipped with `--only-faults`).
 */
const [part = ''] = process.argv.slice(2).filter(argument => !argument.startsWith('--'))
const faults = await Promise.all(
  FAULTS.filter(({ title }) => title.includes(part)).map(async fault => ({
    ...fault,
    ...(await findCode(root, fault)),
  })),
)
if (faults.length === 0) throw new Error(`No title of a fault contains "${part}"`)

using workplace = new Workplace()
let undetected = 0
if (!process.argv.includes('--only-faults')) await passWithoutFault()
for (const fault of faults) if (!(await isDetected(fault))) undetected++
console.log(`${faults.length - undetected} of ${faults.length} faults were detected`)
if (undetected > 0) process.exitCode = 1

async function passWithoutFault(): Promise<void> {
  await workplace.build()
  const files = [...new Set(faults.flatMap(({ tests }) => tests))]
  const { passed, failed, output } = await workplace.test(files, { bail: false })
  if (passed === 0 || failed.length > 0)
    throw new Error(`Tests fail without a fault: ${failed.join('; ') || output}`)
  console.log(`${passed} tests of ${files.length} files pass without a fault`)
}

async function isDetected({ title, file, faulty, tests }: (typeof faults)[number]): Promise<boolean> {
  const source = workplace.read(file)
  workplace.write(file, faulty)
  try {
    await workplace.build()
    const { passed, failed, output } = await workplace.test(tests, { bail: true })
    const [first] = failed
    if (passed === 0 && first === undefined) console.log(`NOT RUN    ${title}\n${output}`)
    else console.log(first === undefined ? `UNDETECTED ${title}` : `DETECTED   ${title} (${first})`)
    return first !== undefined
  } finally {
    workplace.write(file, source)
  }
}
