import { VERSION } from '../shared/version.ts'

// The version costs no more than a bare start of Node: nothing else is loaded for it.
const [first, ...others] = process.argv.slice(2)
if (others.length === 0 && (first === '--version' || first === '-V')) process.stdout.write(`${VERSION}\n`)
else await (await import('./program.ts')).main(process.argv.slice(2))
