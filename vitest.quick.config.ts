import { globSync, readFileSync } from 'node:fs'
import { settings } from './vitest.config.ts'

/** Code of tests that run `mcp` or a daemon in a process, or restart a daemon. */
const SLOW = /\b(createHome|MCP_BIN|daemon\.restart)\b/

const slowFiles = globSync('test/**/*.test.ts').filter(file => SLOW.test(readFileSync(file, 'utf8')))

/** Unit and in-process tests, for the inner loop: `npm run test:quick`. */
export default settings(['test/{e2e,contracts,clients}/**', ...slowFiles])
