import { settings, slowFiles } from './vitest.config.ts'

/** Unit and in-process tests, for the inner loop: `npm run test:quick`. */
export default settings(['test/{e2e,contracts,clients}/**', ...slowFiles])
