import { buildArtifact } from '../src/daemon/builder/build-artifact.ts'
import { runStandalone } from '../src/instance/standalone-server.ts'
import { tuneMemory } from '../src/instance/tune-memory.ts'
import { warmUp } from '../src/instance/warm-up.ts'
import { parseBuildRequest } from '../src/shared/validate-definitions.ts'
import { echoServer } from './daemon.ts'

/** The same instance without a daemon: it accepts its connections itself. What the hop costs is measured against it. */
// As a spare does: code that has served two servers is compiled for more than one.
await warmUp()
tuneMemory()
const { artifact } = buildArtifact(parseBuildRequest(echoServer('echo')))
await runStandalone({ artifact }, { PORT: '0' })
process.on('disconnect', () => process.exit(0))
