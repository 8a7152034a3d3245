import type { Mutation } from './mutation.ts'

const SENDER = { file: 'daemon/engine/handle-sender.ts', tests: 'engine/handle-sender' } as const

/** Connections on their way into a process, and that process from its start on. */
export const connections: readonly Mutation[] = [
  {
    ...SENDER,
    fault: 'connections wait until the one before is acknowledged',
    code: 'queue._handleQueue = null',
    without: '',
  },
  {
    ...SENDER,
    fault: 'a connection reaches another server when much was sent before it',
    code: ' && sinceLast <= ONE_READ_BYTES',
    without: '',
  },
  {
    ...SENDER,
    fault: 'a connection reaches another server when its message is long',
    code: 'own <= ONE_PIECE_BYTES && ',
    without: '',
  },
  {
    ...SENDER,
    fault: 'a process that does not read is sent connections without end',
    code: ' || this.#unawaited >= MOST_UNAWAITED',
    without: '',
  },
  {
    fault: 'a process that claims connections is sent others in their stead',
    file: 'daemon/runtime/hand-over.ts',
    code: 'if (!connection.isSent) return',
    without: '',
    tests: 'runtime/hand-over',
  },
  {
    fault: 'a process is ended for acknowledging its connections',
    file: 'daemon/engine/guarded-channel.ts',
    code: 'if (handles?.settles(args[0])) return true',
    without: '',
    tests: 'engine/handle-sender',
  },
  {
    fault: "each instance compiles Node's own modules anew",
    file: 'daemon/engine/process-engine.ts',
    code: "'--max-semi-space-size=8'",
    without: "'--max-semi-space-size=8', '--semi-space-growth-factor=8'",
    tests: 'engine/process-engine',
  },
  {
    fault: 'an instance takes an hour of light load to reach its size',
    file: 'instance/tune-memory.ts',
    code: "setFlags('--semi-space-growth-factor=8')",
    without: '',
    tests: 'instance/tune-memory',
  },
  {
    fault: 'the process of a handler module ends a second after its start',
    file: 'instance/tune-memory.ts',
    code: 'const setFlags = setFlagsFromString',
    without: 'const setFlags = (flag: string) => setFlagsFromString(flag)',
    tests: 'runtime/describe',
  },
]
