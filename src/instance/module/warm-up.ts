import { loadChecks } from '../handlers/load.ts'
import { loadBundle } from './load-bundle.ts'

const BUNDLE = 'export default { definitions: [] }'

/** Typical tool schemas with every common keyword. */
const INPUT = {
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 1, enum: ['one', 'two'] },
    count: { type: 'integer', minimum: 1, maximum: 10, default: 2 },
  },
  required: ['text'],
  additionalProperties: false,
}
const OUTPUT = {
  type: 'object',
  properties: { list: { type: 'array', items: { type: 'object', properties: { sum: { type: 'number' } } } } },
  required: ['list'],
}
/** After this many rounds, V8 has compiled most of the schema compiler, which then takes a third of the time. */
const ROUNDS = 3

/** Loads the code that describes and serves handler modules, and runs the schema compiler. Uses about 0.3 MB permanently. */
export async function warmUpModules(): Promise<void> {
  const [{ compileArgumentCheck, compileResultCheck }] = await Promise.all([
    loadChecks(),
    loadBundle(BUNDLE, 'file:///server/warm-up.mjs'),
    import('../isolation/lock-down.ts'),
    import('./describe-module.ts'),
    import('./prepare-module.ts'),
    import('./supervise.ts'),
  ])
  for (let time = 0; time < ROUNDS; time++) {
    compileArgumentCheck(INPUT)
    compileResultCheck(OUTPUT)
  }
}
