import { buildArtifact } from '../src/daemon/builder/build-artifact.ts'
import { tuneMemory } from '../src/instance/host/tune-memory.ts'
import { warmUp } from '../src/instance/host/warm-up.ts'
import { runStandalone } from '../src/instance/standalone/standalone-server.ts'
import { parseBuildRequest } from '../src/shared/validation/validate-definitions.ts'
import { echoServer } from './daemon.ts'

/** An instance without a daemon. It accepts its own connections, so the cost of the hop can be measured against it. */
// Warms up like a spare process, whose code V8 has already compiled for more than one server.
await warmUp()
tuneMemory()
const { artifact } = buildArtifact(parseBuildRequest(echoServer('echo')))
await runStandalone({ artifact }, { PORT: '0' })
process.on('disconnect', () => process.exit(0))
